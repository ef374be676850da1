"""Users who answer the questions of their calls at whichever node answers, and what has become of all calls."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2

from tests.cluster.nodes import Cluster, Node
from webclient.domain.model import Json

PAUSE = 0.2
"""Seconds after which something is tried again that no node could do."""

GONE = 404, 502, 503

LOOKS = 0.3
"""How often a user opens the page of a call before the answer."""

LONGEST = 60.0
"""Seconds after which a page has to be there, reloaded again and again."""

TEXT = re.compile(r"\b(user-\d+) \d+\b")


@dataclass
class Tally:
    """Numbers of calls by their ends, of what happened to nodes, and everything that should not have happened."""

    wanted: int
    until: float = inf
    """When it ends all the same, by the monotonic clock."""
    ended: Counter[str] = field(default_factory=Counter)
    ends: dict[str, str] = field(default_factory=dict)
    """How each call has ended, by its text."""
    luck: Counter[str] = field(default_factory=Counter)
    history: list[str] = field(default_factory=list)
    """The ends and starts of nodes, each with its time."""
    wrong: list[str] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    """How many calls an agent made of one, by its text; a person makes one."""
    twice: list[str] = field(default_factory=list)
    """The texts of calls that were done twice for an agent, for which a result was on its way when a node ended."""
    at_servers: int = 0
    """Answers that servers got."""
    pages: int = 0
    """Pages that users opened."""

    @property
    def answered(self) -> int:
        """How many calls have ended after an answer."""
        return sum(self.ended.values())

    @property
    def is_enough(self) -> bool:
        """Whether no more calls are to be started."""
        return self.answered >= self.wanted or monotonic() > self.until

    def compare(self, ledger: Path) -> None:
        """Find in the ledger of the servers what came twice, or never."""
        lines = Counter(ledger.read_text("utf-8").splitlines())
        self.wrong += [f"{line}: {number} times" for line, number in lines.items() if number > self._most(line)]
        gots = [line.removeprefix("got ").split(": ") for line in lines if line.startswith("got ")]
        self.wrong += [f"{text}: it got {name}" for text, name in gots if name != text]
        got = {text for text, _name in gots}
        self.wrong += [
            f"{text}: done without an answer" for text, end in self.ends.items() if end == "done" and text not in got
        ]
        self.at_servers = len(got)

    def _most(self, line: str) -> int:
        """Return how often a line may be there: an agent calls again if its call was interrupted."""
        return self.made.get(line.partition(" ")[2].partition(":")[0], 1)


@dataclass
class Person:
    """A user who starts calls and answers their questions, at whichever node answers."""

    name: str
    nodes: Cluster
    tally: Tally
    dice: random.Random
    ledger: Path

    async def run(self) -> None:
        """Answer until enough is answered."""
        number = 0
        while not self.tally.is_enough:
            number += 1
            label = self.dice.choice(("rounds", "rounds", "push"))
            await self._one(label, f"{self.name} {number}")

    async def _one(self, label: str, text: str) -> None:
        server = await self._until("GET", "/servers", lambda found: _connected(found, label))
        arguments = {"text": text, "ledger": str(self.ledger)}
        body = {"server_id": server, "kind": "tool", "name": "ask_noted", "arguments": arguments}
        call = await self._send("POST", "/calls", json=body)
        if call is None:
            # Nothing is known of a call that no node has confirmed.
            return
        found = await self._until("GET", f"/calls/{call['id']}", _asks_or_ended)
        if found["state"] == "input_required":
            if self.dice.random() < LOOKS:
                await self._look(call["id"], text)
            await self._answer(call, text)
            found = await self._until("GET", f"/calls/{call['id']}", _ended)
        await self._count(label, found, text)

    async def _look(self, call_id: str, text: str) -> None:
        """Open the page of a call, and again until it has no error; what other users do is in no page."""
        path, until = f"/calls/{call_id}", monotonic() + LONGEST
        while (page := await self._page(path)) is None:
            if monotonic() > until:
                self.tally.wrong.append(f"{text}: its page had an error for {LONGEST:.0f} seconds")
                return
            await asyncio.sleep(PAUSE)
        self.tally.pages += 1
        if text not in page:
            self.tally.wrong.append(f"{text}: its page does not show it")
        if strangers := set(TEXT.findall(page)) - {self.name}:
            self.tally.wrong.append(f"{text}: its page shows what is of {strangers}")

    async def _page(self, path: str) -> str | None:
        """Return a page from some node; None if there is only an error."""
        node = self._some_node()
        try:
            async with node.api(self.name) as api:
                response = await api.get(f"{node.url}{path}", headers={"Accept": "text/html"})
        except httpx2.TransportError:
            return None
        return response.text if response.status_code == 200 else None

    def _some_node(self) -> Node:
        """Return one of the nodes that run."""
        return self.dice.choice([node for node in self.nodes.nodes if node.pid] or [self.nodes.nodes[0]])

    async def _answer(self, call: Json, text: str) -> None:
        query = f"/requests?call_id={call['id']}"
        request = await self._until("GET", query, lambda found: (found["requests"] or [None])[-1])
        body = {"action": "accept", "content": {"name": text}}
        while True:
            answered = await self._send("POST", f"/requests/{request['id']}/answer", json=body)
            newest = await self._until("GET", f"/requests/{request['id']}", lambda found: found)
            if answered is not None or newest["state"] != "pending":
                return

    async def _count(self, label: str, call: Json, text: str) -> None:
        state = call["state"]
        self.tally.ended[f"{label} {state}"] += 1
        self.tally.ends[text] = state
        if state == "done":
            said = str(call["result"])
            if text not in said:
                self.tally.wrong.append(f"{text}: the server got {said}")
        elif state != "interrupted":
            self.tally.wrong.append(f"{text}: it ended {state}: {call['error']}")
        elif label == "rounds":
            # One whose answer was on its way, or that had not asked yet, may have run.
            query = f"/requests?call_id={call['id']}"
            found = await self._until("GET", query, lambda found: found)
            if any(each["state"] == "interrupted" for each in found["requests"]):
                self.tally.wrong.append(f"{text}: a round that waits outlives its node: {call['error']}")

    async def _until(self, method: str, path: str, wanted: Callable[[Json], object], json: Json | None = None) -> Any:
        while True:
            found = await self._send(method, path, json)
            if found is not None and (seen := wanted(found)):
                return seen
            await asyncio.sleep(PAUSE)

    async def _send(self, method: str, path: str, json: Json | None = None) -> Json | None:
        """Return the JSON of a response of some node; None if none could do it, or may have done it."""
        node = self._some_node()
        try:
            async with node.api(self.name) as api:
                response = await api.request(method, path, json=json)
        except httpx2.TransportError:
            return None
        if response.status_code in (200, 201, 202):
            found: Json = response.json()
            return found
        if response.status_code not in (*GONE, 409):
            self.tally.wrong.append(f"{self.name}: {method} {path}: {response.status_code} {response.text}")
        return None


def _connected(found: Json, label: str) -> str | None:
    return next(
        (each["id"] for each in found["servers"] if each["label"] == label and each["state"] == "connected"), None
    )


def _ended(call: Json) -> Json | None:
    return call if call["state"] in ("done", "failed", "cancelled", "interrupted") else None


def _asks_or_ended(call: Json) -> Json | None:
    return call if call["state"] == "input_required" else _ended(call)
