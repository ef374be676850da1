"""Calls, answers, faults and restarts, mixed at random: whatever happens, each question has one end, and it is told."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from tests.model.run import Run

STEPS = 1000


@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_run_keeps_every_rule(seed: int) -> None:
    asyncio.run(Run(seed, STEPS).go())


def test_a_random_run_with_a_fresh_seed_keeps_every_rule() -> None:
    seed = secrets.randbelow(2**32)
    print(f"To repeat: python -m tests.model --seed {seed}")  # noqa: T201  (pytest shows it with a failure)
    asyncio.run(Run(seed, STEPS).go())
