"""Compares what the program says of each call with the testimony of its server, and prints the counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.kills.testimony import Testimony
from webclient.domain.model import Json


class Kill(StrEnum):
    """A process or connection that is ended while calls go on."""

    PROGRAM = "program, SIGKILL"
    PROGRAM_GENTLY = "program, SIGTERM"
    SERVER = "server, SIGKILL"
    NETWORK = "network, cut"
    NOTHING = "nothing"


@dataclass(slots=True)
class Payment:
    """One call: its `number`, the `amount` that the person says, and what the program says of it in the end.

    `way` is the era and the transport. `answers` counts the answers that the program took. `call` and `requests` are
    what its API returns once all is over.
    """

    number: int
    amount: int
    way: str
    kill: Kill
    answers: int = 0
    call: Json = field(default_factory=dict)
    requests: list[Json] = field(default_factory=list)

    @property
    def deliveries(self) -> set[str]:
        """The deliveries that its cards show."""
        return {each["delivery"] for each in self.requests if each.get("delivery")}


def contradictions(payment: Payment, testimony: Testimony) -> Iterator[str]:
    """Yield what the program says of a call and the server knows otherwise."""
    executed = testimony.executed.get(payment.number, [])
    came = testimony.received[payment.amount] > 0
    done, deliveries = payment.call["state"] == "done", payment.deliveries
    if "failed" in deliveries and (came or executed):
        yield "the card says that the answer did not reach the server, and it did"
    if "delivered" in deliveries and not came:
        yield "the card says that the answer was delivered, and it was not"
    if came and not deliveries:
        yield "the server has an answer, and no card says that one was given"
    if not payment.answers and came:
        yield "the server has an answer that no person gave"
    if done and not executed:
        yield "the call is done, and the server did not execute it"
    if done and "delivered" not in deliveries and payment.way.startswith("2026"):
        yield f"the call has its result, and the card says: {deliveries}"
    if done and str(payment.amount) not in payment.call["result"]["content"][0]["text"]:
        yield f"the result is another: {payment.call['result']}"
    if any(amount != payment.amount for amount in executed):
        yield f"the server executed {executed} instead of {payment.amount}"
    if payment.kill is Kill.NOTHING and (not done or deliveries != {"delivered"}):
        yield f"nothing was broken, and the call is {payment.call['state']}, its answer {deliveries}"


_COLUMNS = ("asked", "answered", "executed", "twice", "contradicted", "delivered", "unknown", "failed")


def table(payments: Collection[Payment], testimonies: Mapping[str, Testimony]) -> Iterator[str]:
    """Yield the lines of a table in Markdown: the counts for each way and kill, and of all."""
    yield f"| calls | ended meanwhile | {' | '.join(_COLUMNS)} |"
    yield f"| --- | --- |{' ---: |' * len(_COLUMNS)}"
    for way in sorted({each.way for each in payments}):
        for kill in Kill:
            if group := [each for each in payments if (each.way, each.kill) == (way, kill)]:
                yield _row(way, kill, group, testimonies)
    yield _row("all", "", payments, testimonies)


def _row(way: str, kill: str, group: Collection[Payment], testimonies: Mapping[str, Testimony]) -> str:
    executed = [len(testimonies[each.way].executed.get(each.number, [])) for each in group]
    counts = {
        "asked": len(group),
        "answered": sum(each.answers > 0 for each in group),
        "executed": sum(times > 0 for times in executed),
        "twice": sum(times > 1 for times in executed),
        "contradicted": sum(any(contradictions(each, testimonies[each.way])) for each in group),
    }
    for delivery in ("delivered", "unknown", "failed"):
        counts[delivery] = sum(delivery in each.deliveries for each in group)
    return f"| {way} | {kill} | {' | '.join(str(counts[column]) for column in _COLUMNS)} |"
