"""Approvals among faults: what runs was approved, runs once or not at all, and its card says which."""

from __future__ import annotations

import asyncio

from tests.model.approval_run import ApprovalRun

PROPOSALS = 100


def test_a_random_run_of_approvals_keeps_every_rule() -> None:
    run = ApprovalRun(0, PROPOSALS)
    asyncio.run(run.go())
    assert run.ends["calls"] >= PROPOSALS
    assert run.ends["approved: ran"] > 0
