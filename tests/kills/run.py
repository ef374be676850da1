"""Asks, answers and kills at random moments, round after round, and judges once everything has come to its end."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import httpx2

from tests.kills.testimony import Testimony
from tests.kills.till import wording
from tests.kills.verdict import Kill, Payment, contradictions, table
from tests.kills.world import World, world
from tests.program import Api
from webclient.domain.model import CallState, Json

AT_ONCE = 8
"""Calls that go on at the same time."""

ANSWERED_WITHIN, KILLED_WITHIN = 0.2, 0.2
"""Seconds from the last question to the last answer, and from one of the answers to a kill.

A payment takes 0.15 s from its answer.
"""

PATIENCE = 90.0
"""Seconds after which a round is taken never to end."""

PAUSE = 0.05
"""Seconds between two looks at what no event tells."""


async def run(
    seed: int, calls: int, kills: Sequence[Kill] = tuple(Kill), report: Callable[[str], object] = lambda _line: None
) -> tuple[list[str], list[str]]:
    """Make so many calls, among the `kills` in turn; return the lines of the table, and one for each contradiction."""
    random = Random(seed)  # noqa: S311  (nothing secret)
    payments: list[Payment] = []
    with tempfile.TemporaryDirectory(prefix="kills") as folder:
        async with world(Path(folder)) as around, around.client as api:
            while len(payments) < calls:
                turn = kills[len(payments) // AT_ONCE % len(kills)]
                current = _Round(around, api, random, turn)
                try:
                    async with asyncio.timeout(PATIENCE):
                        payments += await current.go(len(payments))
                except TimeoutError as error:
                    raise AssertionError(f"{turn}: these do not end: {current.payments}") from error
                report(f"{len(payments)} of {calls} calls: {turn}")
        # Now no server works on, so that nothing is missing in what they wrote.
        testimonies = {till.way: till.testimony for till in around.tills}
    return list(table(payments, testimonies)), [line for each in payments for line in _wrong(each, testimonies)]


def _wrong(payment: Payment, testimonies: Mapping[str, Testimony]) -> list[str]:
    testimony = testimonies[payment.way]
    wrong = list(contradictions(payment, testimony))
    if len(testimony.executed.get(payment.number, [])) > 1:
        wrong.append("the server executed it twice")
    return [f"Call {payment.number} ({payment.way}; killed: {payment.kill}): {each}." for each in wrong]


class _Round:
    """Several calls that are answered while something is killed; `payments` has what became of each."""

    def __init__(self, around: World, api: Api, random: Random, kill: Kill) -> None:
        self._around = around
        self._api = api
        self._random = random
        self._kill = kill
        self.payments: list[Payment] = []
        self._answers = 0
        self._answered = asyncio.Condition()

    async def go(self, before: int) -> list[Payment]:
        """Ask all, answer and kill, and wait for the end of all; `before` calls were made earlier."""
        by_label = {label: till for till in self._around.tills for label in till.labels}
        servers = await self._connected(by_label)
        labels = [label for label in by_label if label.endswith("relay") is (self._kill is Kill.NETWORK)]
        for number in range(before + 1, before + 1 + AT_ONCE):
            label = labels[number % len(labels)]
            payment = Payment(number, 100_000 + number, by_label[label].way, self._kill)
            payment.call = await self._start(payment, servers[label])
            self.payments.append(payment)
        await asyncio.gather(*map(self._waits, self.payments))
        people = [self._see_through(each, self._random.uniform(0, ANSWERED_WITHIN)) for each in self.payments]
        await asyncio.gather(self._break(), *people)
        return self.payments

    async def _start(self, payment: Payment, server_id: str) -> Json:
        body = {"server_id": server_id, "kind": "tool", "name": "pay", "arguments": {"number": payment.number}}
        return dict(await self._api.json("POST", "/calls", 202, json=body))

    async def _break(self) -> None:
        match self._kill:
            case Kill.PROGRAM:
                await self._later(partial(self._around.restart, signal.SIGKILL))
            case Kill.PROGRAM_GENTLY:
                await self._later(partial(self._around.restart, signal.SIGTERM))
            case Kill.SERVER:
                await asyncio.gather(*(self._later(till.kill) for till in self._around.tills))
            case Kill.NETWORK:
                await asyncio.gather(*(self._later(till.relay.cut) for till in self._around.tills if till.relay))

    async def _later(self, do: Callable[[], Awaitable[None] | None]) -> None:
        """Do it some time after one of the answers was given, or before the first."""
        answers, seconds = self._random.randrange(AT_ONCE), self._random.uniform(0, KILLED_WITHIN)
        async with self._answered:
            await self._answered.wait_for(lambda: self._answers >= answers)
        await asyncio.sleep(seconds)
        if doing := do():
            await doing

    async def _see_through(self, payment: Payment, answered_after: float) -> None:
        """Answer the call's questions as a person would, until it and its answers have come to their end."""
        await asyncio.sleep(answered_after)
        is_first = True
        while True:
            for request in await self._pending(payment):
                await self._answer(payment, request["id"])
            if is_first:
                await self._count_answer()
            is_first = False
            payment.call = await self._get(f"/calls/{payment.call['id']}", wait=1)
            payment.requests = [await self._get(f"/requests/{each['id']}") for each in payment.requests]
            if CallState(payment.call["state"]).ended and payment.deliveries.isdisjoint(("sending", "saved")):
                return
            await asyncio.sleep(PAUSE)

    async def _count_answer(self) -> None:
        async with self._answered:
            self._answers += 1
            self._answered.notify_all()

    async def _answer(self, payment: Payment, request_id: str) -> None:
        answer = {"action": "accept", "content": {"amount": payment.amount}}
        with suppress(httpx2.TransportError):
            await self._api.post(f"/requests/{request_id}/answer", json=answer)
        # The program may have taken it although no response came.
        payment.answers += (await self._get(f"/requests/{request_id}"))["state"] == "accepted"

    async def _waits(self, payment: Payment) -> None:
        while not await self._pending(payment):  # noqa: ASYNC110  (a program that asks has no event for it)
            await asyncio.sleep(PAUSE)

    async def _pending(self, payment: Payment) -> list[Json]:
        """Return what the call asks now, by the words: over stdio a question does not name its call."""
        listed = (await self._get("/requests", state="pending"))["requests"]
        found = [each for each in listed if each["params"]["message"] == wording(payment.number)]
        known = {each["id"] for each in payment.requests}
        payment.requests += [each for each in found if each["id"] not in known]
        return found

    async def _connected(self, labels: Mapping[str, object]) -> dict[str, str]:
        """Wait until all these servers are connected; return their ids."""
        while True:
            servers = (await self._get("/servers"))["servers"]
            found = {each["label"]: each["id"] for each in servers if each["state"] == "connected"}
            if found.keys() >= labels.keys():
                return found
            await asyncio.sleep(PAUSE)

    async def _get(self, path: str, **params: str | int) -> Json:
        """Return what the program responds, also of the one that is started after it."""
        while True:
            await self._around.up.wait()
            try:
                response = await self._api.get(path, params=params)
            except httpx2.TransportError:
                response = None
            if response is not None and response.is_success:
                return dict(response.json())
            await asyncio.sleep(PAUSE)
