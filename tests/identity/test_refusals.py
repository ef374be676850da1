"""Refused attempts: which are written, and that a flood of them is a handful of entries."""

from __future__ import annotations

import pytest

from webclient.auth import Refusal, Refusals
from webclient.auth.refusals import MOST_KINDS, WINDOW
from webclient.domain.model import Reason, ReasonCode
from webclient.store import StorageError

pytestmark = pytest.mark.anyio


class Trail:
    """The entries so far, and a clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.written: list[tuple[Refusal, int]] = []
        self.refusals = Refusals(self._write, lambda: self.now)

    async def _write(self, refusal: Refusal, count: int) -> None:
        self.written.append((refusal, count))


@pytest.fixture
def trail() -> Trail:
    return Trail()


def attempt(address: str = "203.0.113.7", code: str = "wrong_token", user_id: str = "") -> Refusal:
    return Refusal(address=address, way="local", code=code, user_id=user_id)


async def test_attempts_that_are_alike_are_written_at_powers_of_ten(trail: Trail) -> None:
    for _n in range(1234):
        await trail.refusals.add(attempt())
    assert trail.written == [(attempt(), count) for count in (1, 10, 100, 1000)]


async def test_different_attempts_are_kept_apart(trail: Trail) -> None:
    attempts = [attempt(), attempt("203.0.113.8"), attempt(code="disabled_user"), attempt(user_id="u")]
    for each in attempts:
        await trail.refusals.add(each)
    assert trail.written == [(each, 1) for each in attempts]


async def test_an_ipv6_network_is_one_address(trail: Trail) -> None:
    for number in range(9):
        await trail.refusals.add(attempt(f"2001:db8::{number}"))
    assert len(trail.written) == 1


async def test_a_flood_from_many_addresses_is_bounded(trail: Trail) -> None:
    for number in range(20_000):
        await trail.refusals.add(attempt(f"10.0.{number // 256}.{number % 256}", user_id=str(number)))
    assert len(trail.written) <= MOST_KINDS + 5
    assert trail.written[-1] == (attempt(""), 10_000)


async def test_an_hour_later_they_are_written_again(trail: Trail) -> None:
    for _hour in range(2):
        await trail.refusals.add(attempt())
        trail.now += WINDOW
    assert [count for _refusal, count in trail.written] == [1, 1]


async def test_a_trail_that_cannot_be_written_fails_no_request() -> None:
    async def full(_refusal: Refusal, _count: int) -> None:
        raise StorageError(Reason.of(ReasonCode.DATABASE_IN_USE, name="trail"))

    await Refusals(full).add(attempt())
