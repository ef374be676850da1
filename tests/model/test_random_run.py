"""Calls, answers, faults and restarts, mixed at random: whatever happens, each question has one end, and it is told."""

from __future__ import annotations

import asyncio

import pytest

from tests.model.run import Run

STEPS = 1000


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_mixed_no_answer_is_given_twice_or_lost_and_nothing_is_left_without_an_end(seed: int) -> None:
    asyncio.run(Run(seed, STEPS).go())
