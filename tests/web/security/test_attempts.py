"""Wrong tokens are counted by address, for a minute."""

from __future__ import annotations

from webclient.web.security.attempts import WINDOW, Attempts


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_after_the_limit_an_address_has_to_wait() -> None:
    attempts = Attempts(2, Clock())
    attempts.add_wrong("a")
    assert not attempts.exhausted("a")
    attempts.add_wrong("a")
    assert attempts.exhausted("a")


def test_one_address_does_not_lock_out_another() -> None:
    attempts = Attempts(1, Clock())
    attempts.add_wrong("a")
    assert not attempts.exhausted("b")


def test_a_wrong_attempt_counts_for_a_minute() -> None:
    clock = Clock()
    attempts = Attempts(1, clock)
    attempts.add_wrong("a")
    clock.time += WINDOW - 1
    assert attempts.exhausted("a")
    clock.time += 1
    assert not attempts.exhausted("a")
