"""Calls, agents, answers, faults and restarts, mixed at random: each request has one end, and the page shows it."""

from __future__ import annotations

import asyncio
import secrets

from tests.model.run import Run
from tests.postgresql import PostgreSQL

STEPS = 1000


def test_a_random_run_on_postgresql_keeps_every_rule(postgresql: PostgreSQL) -> None:
    with postgresql.database(empty=True) as name:
        asyncio.run(Run(1, STEPS, url=postgresql.url(name)).go())


def test_a_random_run_with_a_fresh_seed_keeps_every_rule() -> None:
    seed = secrets.randbelow(2**32)
    print(f"To repeat: python -m tests.model --seed {seed}")  # noqa: T201  (pytest shows it with a failure)
    asyncio.run(Run(seed, STEPS).go())
