"""How long a thousand open inboxes take to show one question each: all of one user, or each of a user of their own.

Without browsers and HTTP: what is measured is what the pages read and render. `python -m bench.pages` runs this alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.measures import Measure, alone
from bench.store import REQUEST
from tests.house import house
from webclient.domain.model import LOCAL_USER, new_id, now
from webclient.services import Services
from webclient.store.live import Subscription
from webclient.web.pages.open_page import OpenPage
from webclient.web.pages.stream import Viewer

PAGES = 1000
TIMES = 3


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    async with house(folder / "pages", max_pending=1000) as running:
        services = running.services
        one = await _milliseconds(services, [LOCAL_USER] * PAGES, asking=[LOCAL_USER])
        users = [f"user {number}" for number in range(PAGES)]
        own = await _milliseconds(services, users, asking=users[:1])
        each = await _milliseconds(services, users, asking=users)
    return [
        Measure(f"a question to the last of {PAGES:,} pages of one user", one, None, "ms"),
        Measure(f"a question to the one page of its user, of {PAGES:,}", own, None, "ms"),
        Measure(f"{PAGES:,} questions to {PAGES:,} pages, each of its user", each, None, "ms"),
    ]


async def _milliseconds(services: Services, users: Sequence[str], *, asking: Sequence[str]) -> float:
    """Return the milliseconds until a question to each of the `asking` users is on all their pages."""
    with _opened(services, users) as pages:
        concerned = [page for page in pages if page.viewer.page.user_id in set(asking)]
        return median([await _once(services, concerned, asking) for _each in range(TIMES)]) * 1000


async def _once(services: Services, pages: Sequence[_Page], asking: Sequence[str]) -> float:
    requests = [replace(REQUEST, id=new_id(), user_id=user, created_at=now()) for user in asking]
    ids = {request.user_id: request.id for request in requests}
    started = time.perf_counter()
    shown = [asyncio.create_task(page.shows(ids[page.viewer.page.user_id])) for page in pages]
    await asyncio.gather(*(services.inbox.put([request]) for request in requests))
    await asyncio.gather(*shown)
    return time.perf_counter() - started


class _Page:
    """An open inbox and its subscription."""

    def __init__(self, viewer: Viewer, events: Subscription) -> None:
        self.viewer = viewer
        self._events = events

    async def shows(self, request_id: str) -> None:
        """Render what comes until the question is in it."""
        while True:
            batch = [await anext(self._events), *self._events.drain()]
            async for html in self.viewer.updates(batch):
                if request_id in html:
                    return


@contextmanager
def _opened(services: Services, users: Sequence[str]) -> Iterator[list[_Page]]:
    with ExitStack() as stack:
        pages = []
        for user in users:
            viewer = Viewer(OpenPage(services, user, "inbox", "", now()))
            pages.append(_Page(viewer, stack.enter_context(services.hub.subscribe(user))))
        yield pages


if __name__ == "__main__":
    alone(measure)
