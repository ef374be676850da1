"""The shape of `webclient/`, as `make house` prints it: rooms and their sizes, and the journeys of a request.

A journey is traced while a real server sends it over stdio and its answer is posted to the page.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from traceback import walk_stack
from types import CodeType, FrameType
from typing import Any

import webclient
from tests.inbox.kinds.test_kinds import served
from tests.line import delivered
from webclient.calls import Calls
from webclient.domain.model import Delivery
from webclient.inbox.waiters import Waiters
from webclient.protocol.session.session import Session
from webclient.protocol.session.tap import Tap
from webclient.store.database.tables import requests
from webclient.support.background import call_all
from webclient.web.pages.inbox.inbox_pages import answer_request

HOUSE = Path(webclient.__file__).parent

EVERYWHERE = {"domain", "support"}
"""Rooms that every other one uses; a journey does not count them."""

SMALL = 40
"""Lines below which a module may be half an idea."""


class Journey:
    """The functions of `webclient/` that are entered on the way of a request, each where it is entered first.

    The way follows tasks, each from where it enters one of the functions in `legs`, until it enters `end`. So what
    other tasks do meanwhile is not on it, nor what is around a leg, such as the security of every route. Neither are
    the listeners of events, through which nothing flows on, properties, and the rooms that every other one uses.
    """

    def __init__(self, *legs: Callable[..., object], end: Callable[..., object] | None = None) -> None:
        self._legs = {leg.__code__ for leg in legs}
        self._end = end.__code__ if end else None
        self._tasks: set[object] = set()
        self._around: set[CodeType] = set()
        self._is_listening = False
        self._properties = {*_properties()}
        self.functions: dict[object, Path] = {}

    @property
    def rooms(self) -> list[str]:
        """The rooms in the order in which they are entered."""
        entered = (path.parts[0].removesuffix(".py") for path in self.functions.values())
        return [room for room, _entries in groupby(room for room in entered if room not in EVERYWHERE)]

    def note(self, frame: FrameType, event: str) -> None:
        """Note that a function is entered or left."""
        code = frame.f_code
        if code is call_all.__code__:
            self._is_listening = event == "call"
        is_ours = event == "call" and code.co_filename.startswith(str(HOUSE)) and not code.co_name.startswith("<")
        if not is_ours or self._is_listening or code in self._properties:
            return
        task = asyncio.current_task()
        if code in self._legs and task not in self._tasks:
            self._tasks.add(task)
            self._around |= {outer.f_code for outer, _line in walk_stack(frame.f_back)}
        if task in self._tasks and code not in self._around:
            self.functions.setdefault(code, Path(code.co_filename).relative_to(HOUSE))
        if code is self._end:
            self._legs, self._tasks = set(), set()

    def __str__(self) -> str:
        modules = len({*self.functions.values()})
        return (
            f"{len(self.functions)} functions, {modules} modules, {len(self.rooms) - 1} changes of room\n"
            f"    {' > '.join(self.rooms)}"
        )


@contextmanager
def traced(*journeys: Journey) -> Iterator[None]:
    """Trace this thread for the journeys while the block runs."""

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        for journey in journeys:
            journey.note(frame, event)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def _properties() -> Iterator[CodeType]:
    """Give the code of all properties: reading a value is not a step."""
    modules = [module for name, module in sys.modules.items() if name.startswith("webclient.")]
    classes = {found for module in modules for found in list(vars(module).values()) if isinstance(found, type)}
    for attribute in (each for found in classes for each in list(vars(found).values())):
        getter = getattr(attribute, "fget", None) or getattr(attribute, "func", None)
        if code := getattr(getter, "__code__", None):
            yield code


def sizes() -> str:
    """Return a table of the rooms: folders, modules, lines, and the median length of a module."""
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in sorted(HOUSE.rglob("*.py"))}
    by_room: dict[str, list[int]] = {}
    for path, length in lines.items():
        by_room.setdefault(path.relative_to(HOUSE).parts[0].removesuffix(".py"), []).append(length)
    modules = [length for path, length in lines.items() if path.name != "__init__.py" and "versions" not in path.parts]
    small = sum(length < SMALL for length in modules)
    largest = Counter(path.parent.relative_to(HOUSE).as_posix() for path in lines).most_common(3)
    return "\n".join(
        [
            f"{'room':14}modules   lines",
            *(f"{room:14}{len(found):7}{sum(found):8}" for room, found in by_room.items() if not room.startswith("__")),
            f"{len(modules)} modules beside doors and migrations, median {median(modules):.0f}; "
            f"{small} below {SMALL} lines",
            f"largest folders: {', '.join(f'{name} {count}' for name, count in largest)}",
        ]
    )


async def journeys(folder: Path) -> dict[str, Journey]:
    """Return the journeys of a request, of its answer, and of the call's result."""
    async with served(folder) as (rooms, client):
        # With the first request of a user this process counts those in the store; it keeps the number for later ones.
        first = await rooms.call("it", "ask_form")
        for earlier in await rooms.pending_requests(first):
            await client.post(f"/requests/{earlier.id}", data={"action": "decline"})
        await rooms.ended(first)
        registered = Waiters._registered.__wrapped__  # type: ignore[attr-defined]
        request_in = Journey(Tap._requested, Session._requested, end=registered)
        with traced(request_in):
            call = await rooms.call("it", "ask_form")
            [request] = await rooms.pending_requests(call)
        await client.get("/")
        answer_out, result_in = Journey(answer_request, Session._requested), Journey(Calls._drive)
        with traced(answer_out, result_in):
            await asyncio.create_task(client.post(f"/requests/{request.id}", data={"action": "decline"}))
            await rooms.ended(call)
            await delivered(rooms, request, Delivery.DELIVERED)
    return {"request in": request_in, "answer out": answer_out, "result of the call": result_in}


def main() -> None:
    """Print the report."""
    with TemporaryDirectory() as folder:
        found = asyncio.run(journeys(Path(folder)))
    columns = f"a request has {len(requests.columns)} columns"
    traces = [f"{name}: {journey}" for name, journey in found.items()]
    sys.stdout.write("\n".join([sizes(), columns, *traces, ""]))


if __name__ == "__main__":
    main()
