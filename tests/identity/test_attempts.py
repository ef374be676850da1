"""Wrong tokens are counted by address, for a minute, each once."""

from __future__ import annotations

from webclient.auth.local import WINDOW, Attempts


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_after_the_limit_an_address_has_to_wait() -> None:
    attempts = Attempts(2, Clock())
    assert [attempts.add_wrong("a", token) for token in ("1", "2", "3")] == [True, True, False]


def test_the_same_wrong_token_counts_once() -> None:
    attempts = Attempts(2, Clock())
    assert all(attempts.add_wrong("a", "old") for _ in range(50))
    assert attempts.add_wrong("a", "typo")
    assert not attempts.add_wrong("a", "third")


def test_one_address_does_not_use_up_another_ones_attempts() -> None:
    attempts = Attempts(1, Clock())
    attempts.add_wrong("a", "1")
    assert attempts.add_wrong("b", "2")


def test_a_wrong_attempt_counts_for_a_minute() -> None:
    clock = Clock()
    attempts = Attempts(1, clock)
    attempts.add_wrong("a", "1")
    clock.time += WINDOW - 1
    assert not attempts.add_wrong("a", "2")
    clock.time += 1
    assert attempts.add_wrong("a", "2")


def test_a_flood_of_wrong_tokens_fills_no_memory() -> None:
    attempts = Attempts(3, Clock())
    for number in range(5_000):
        attempts.add_wrong("a", str(number))
    assert attempts.remembered == 3
