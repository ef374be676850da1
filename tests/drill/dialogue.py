"""Programs that ask and people who answer, all through the proxy; and the count of what became of each question."""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx2
from mcp_webclient_client import Inbox, InboxError

from webclient.domain.model import Json

THINKING = 1.0
"""Seconds that a person takes to answer, at most."""

PAUSE = 0.5
"""Seconds after which a person's page tries again."""

SETTLING = 90.0
"""Seconds in which each question of a step must have its answer after the step has ended."""

POLL = 25.0
"""Seconds of one long poll of the client package."""


@dataclass(slots=True)
class Count:
    """Numbers of one step; `errors` are responses of 500 and above, and broken connections."""

    started: int = 0
    answered: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """From the first attempt to ask until the answer is at the program."""


class CountingClient(httpx2.AsyncClient):
    """An HTTP client that counts each failure on the way, before its user tries again."""

    def __init__(self, dialogue: Dialogue, **options: Any) -> None:
        super().__init__(verify=dialogue.tls, **options)
        self._dialogue = dialogue

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send the request once."""
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            self._dialogue.count.errors[type(error).__name__] += 1
            raise
        if response.status_code >= 500:
            self._dialogue.count.errors[str(response.status_code)] += 1
        return response


class CountedInbox(Inbox):
    """The client package for agents as it is published, with a client that counts."""

    def __init__(self, dialogue: Dialogue, url: str, token: str) -> None:
        super().__init__(url, token)
        self._dialogue = dialogue

    def _client(self) -> CountingClient:
        timeout = httpx2.Timeout(15.0, read=POLL + 15.0)
        return CountingClient(self._dialogue, headers=self._headers, timeout=timeout)


class Person:
    """A person with an open page: answers each question that it shows, and comes back after every failure."""

    def __init__(self, dialogue: Dialogue, name: str) -> None:
        self.name = name
        self.user_id = ""
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.seen: defaultdict[str, set[str]] = defaultdict(set)
        """The ids of the questions by their text: more than one is a question that was asked twice."""

        self._dialogue = dialogue
        self._answering: dict[str, asyncio.Task[None]] = {}
        self._client = CountingClient(
            dialogue,
            headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"},
            timeout=30.0,
            follow_redirects=True,
        )

    async def sign_in(self) -> None:
        """Sign in at the provider, with its pages. Raises AssertionError with the page on which it ended."""
        page = await self._client.get(f"{self._dialogue.url}/auth/login")
        while form := re.search(r'<form[^>]* action="(https?://[^"]*/interaction/[^"]*)"', page.text):
            hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
            fields = hidden | ({"login": self.name, "password": "not checked"} if 'name="login"' in page.text else {})
            page = await self._client.post(unescape(form[1]), data=fields)
        me = await self._client.get(f"{self._dialogue.url}/api/v1/me")
        assert me.status_code == 200, f"{page.url} {page.status_code}: {page.text[:500]}"
        self.user_id = me.json()["user_id"]

    async def watch(self) -> None:
        """Follow the events of the page and answer, for ever."""
        last = "none"
        while True:
            with suppress(httpx2.TransportError):
                last = await self._follow(last)
            await asyncio.sleep(PAUSE)

    async def _follow(self, last: str) -> str:
        headers = {"Last-Event-ID": last}
        timeout = httpx2.Timeout(15.0)
        kind = ""
        async with self._client.stream(
            "GET", f"{self._dialogue.url}/api/v1/events", headers=headers, timeout=timeout
        ) as events:
            with suppress(httpx2.TransportError):
                async for line in events.aiter_lines():
                    name, _, value = line.partition(": ")
                    kind = value if name == "event" else kind
                    last = value if name == "id" else last
                    if name == "data" and kind == "request":
                        self._see(json.loads(value))
        return last

    def _see(self, request: Json) -> None:
        text = request["params"]["message"]
        self.seen[text].add(request["id"])
        if request["state"] == "pending" and request["id"] not in self._answering:
            self._answering[request["id"]] = asyncio.create_task(self._answer(request["id"], text))

    async def _answer(self, id_: str, text: str) -> None:
        await asyncio.sleep(random.uniform(0, self._dialogue.thinking))
        await self.may_answer.wait()
        body = {"action": "accept", "content": {"note": f"{self.name} on {text}"}}
        while True:
            try:
                response = await self._client.post(f"{self._dialogue.url}/api/v1/requests/{id_}/answer", json=body)
                if response.status_code < 500:
                    break
            except httpx2.TransportError:
                pass
            await asyncio.sleep(PAUSE)
        del self._answering[id_]

    async def close(self) -> None:
        """Close the page."""
        for task in self._answering.values():
            task.cancel()
        await self._client.aclose()


class Dialogue:
    """All programs and people; `count` is that of the current step."""

    def __init__(self, url: str, tls: ssl.SSLContext) -> None:
        self.url = url
        self.tls = tls
        self.count = Count()
        self.thinking = THINKING
        self.people: list[Person] = []
        self._programs: list[CountedInbox] = []
        self._number = 0
        self._open: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def between(self, people: int, tokens: Sequence[str]) -> AsyncIterator[None]:
        """Sign so many people in, and keep their pages open, while the block runs."""
        self._programs = [CountedInbox(self, self.url, token) for token in tokens]
        self.people = [Person(self, f"user{number}") for number in range(people)]
        for person in self.people:
            await person.sign_in()
        watching = [asyncio.create_task(person.watch()) for person in self.people]
        try:
            yield
        finally:
            for task in (*watching, *self._open):
                task.cancel()
            await asyncio.wait(watching)
            for person in self.people:
                await person.close()

    async def ask_for(self, seconds: float, rate: float) -> None:
        """Ask so many questions a second, without waiting for answers."""
        begun = time.monotonic()
        for number in range(int(seconds * rate)):
            await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
            self.ask()

    def ask(self) -> asyncio.Task[None]:
        """Have a program ask a person one question."""
        self._number += 1
        program = self._programs[self._number % len(self._programs)]
        task = asyncio.create_task(self._ask(program, random.choice(self.people), f"Question {self._number}"))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        return task

    def hold(self) -> None:
        """Have people answer nothing more."""
        for person in self.people:
            person.may_answer.clear()

    def resume(self) -> None:
        """Have people answer again, also what waits."""
        for person in self.people:
            person.may_answer.set()

    def be_quick(self) -> None:
        """Have people answer at once from now on, to measure how much is possible."""
        self.thinking = 0.0

    @property
    def waiting(self) -> int:
        """How many questions have no answer yet."""
        return len(self._open)

    async def settle(self) -> None:
        """Wait until every question has its answer, for a while."""
        if self._open:
            await asyncio.wait(self._open, timeout=SETTLING)
        for task in self._open:
            task.cancel()

    def doubled(self) -> int:
        """Return how many questions people saw more often than once, and forget them."""
        doubled = sum(len(ids) - 1 for person in self.people for ids in person.seen.values())
        for person in self.people:
            person.seen.clear()
        return doubled

    async def _ask(self, program: CountedInbox, person: Person, text: str) -> None:
        schema = {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}
        count, begun = self.count, time.monotonic()
        count.started += 1
        try:
            answer = await program.ask({"message": text, "requestedSchema": schema}, user=person.user_id)
        except InboxError as error:
            count.errors[str(error)] += 1
            return
        if answer.content == {"note": f"{person.name} on {text}"}:
            count.answered += 1
            count.seconds.append(time.monotonic() - begun)
        else:
            count.errors[f"{answer.action}: {answer.reason}"] += 1
