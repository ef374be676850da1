"""The shape of `webclient/`, as `make house` prints it: rooms and their sizes, and the journeys of a request.

A journey is traced while a real server sends it over stdio and its answer is posted to the page.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import webclient
from tests.inbox.kinds.test_kinds import served
from webclient.inbox.waiters import Waiters
from webclient.protocol.session.tap import Tap
from webclient.store.database.tables import requests

HOUSE = Path(webclient.__file__).parent

EVERYWHERE = {"domain", "support"}
"""Rooms that every other one uses; a journey does not count them."""

SMALL = 40
"""Lines below which a module may be half an idea."""


class Journey:
    """The functions of `webclient/` that are entered from `begin` to `end`, each where it is entered first."""

    def __init__(self, begin: object = None, end: object = None) -> None:
        self._begin, self._end = getattr(begin, "__code__", None), getattr(end, "__code__", None)
        self.functions: dict[object, Path] = {}
        self._is_under_way = begin is None

    @property
    def rooms(self) -> list[str]:
        """The rooms in the order in which they are entered."""
        entered = (path.parts[0] for path in self.functions.values())
        return [room for room, _entries in groupby(room for room in entered if room not in EVERYWHERE)]

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Trace this thread while the block runs."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(HOUSE)):
            return
        self._is_under_way |= code is self._begin
        if self._is_under_way:
            self.functions.setdefault(code, Path(code.co_filename).relative_to(HOUSE))
        self._is_under_way &= code is not self._end

    def __str__(self) -> str:
        modules = len({*self.functions.values()})
        return (
            f"{len(self.functions)} functions, {modules} modules, {len(self.rooms) - 1} changes of room\n"
            f"    {' > '.join(self.rooms)}"
        )


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


async def journeys(folder: Path) -> tuple[Journey, Journey]:
    """Return the journeys of a request to the inbox and of its answer back."""
    request_in, answer_out = Journey(Tap._requested, Waiters._registered.__wrapped__), Journey()  # type: ignore[attr-defined]
    async with served(folder) as (rooms, client):
        with request_in.traced():
            call = await rooms.call("it", "ask_form")
            [request] = await rooms.pending_requests(call)
        await client.get("/")
        with answer_out.traced():
            await client.post(f"/requests/{request.id}", data={"action": "decline"})
            await rooms.ended(call)
    return request_in, answer_out


def main() -> None:
    """Print the report."""
    with TemporaryDirectory() as folder:
        request_in, answer_out = asyncio.run(journeys(Path(folder)))
    columns = f"a request has {len(requests.columns)} columns"
    sys.stdout.write("\n".join([sizes(), columns, f"request in: {request_in}", f"answer out: {answer_out}", ""]))


if __name__ == "__main__":
    main()
