"""A person at a browser that has no JavaScript, or only what htmx sends: pages, forms and the stream, over HTTP."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from tests.loopback import tls
from tests.program import PATIENCE, Program
from webclient.domain.model import Json
from webclient.web.http.advance import COOKIE as ADVANCE


class Person(httpx2.AsyncClient):
    """A person who is signed in and looks at pages."""

    def __init__(self, program: Program, *, htmx: bool = False) -> None:
        headers = {"Authorization": f"Bearer {program.token}", "Accept": "text/html"}
        headers |= {"HX-Request": "true"} if htmx else {}
        cookies = {ADVANCE: "off"}
        super().__init__(base_url=program.base, headers=headers, cookies=cookies, timeout=PATIENCE, verify=tls())

    async def page(self, path: str, status: int = 200) -> str:
        """Return the HTML of a page."""
        response = await self.get(path)
        assert response.status_code == status, response.text
        return response.text

    async def submit(self, path: str, status: int = 303, **fields: Any) -> httpx2.Response:
        """Post a form."""
        response = await self.post(path, data=fields)
        assert response.status_code == status, response.text
        return response

    async def run(self, server: str, kind: str, name: str, **fields: Any) -> str:
        """Run an entry of a server's catalog and return the id of the call."""
        response = await self.submit(f"/servers/{server}/calls", kind=kind, name=name, **fields)
        return response.headers["location"].removeprefix("/calls/")


async def messages(response: httpx2.Response) -> AsyncIterator[tuple[str, str]]:
    """Give the messages of an event stream: id and data."""
    event_id, data = "", []
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "id":
            event_id = value
        elif name == "data":
            data.append(value)
        elif not line and data:
            yield event_id, "\n".join(data)
            data = []


async def until(bundles: AsyncIterator[tuple[str, str]], wanted: str) -> str:
    """Return the next bundle that contains `wanted`."""
    async with asyncio.timeout(PATIENCE):
        async for _id, data in bundles:
            if wanted in data:
                return data
    raise AssertionError(f"the stream ended without {wanted!r}")


def stream_of(page: str) -> str:
    """Return the address of the page's stream; it names the request beside the list, if there is one."""
    found = re.search(r'data-stream="([^"]+)"', page)
    assert found
    shown = re.search(r'data-request="([^"]+)"', page)
    return html.unescape(found[1]) + (f"&id={shown[1]}" if shown else "")


def card(page: str, request: Json) -> str:
    """Return the article of a request."""
    found = re.search(rf'<article class="card[^>]*id="request-{request["id"]}".*?</article>', page, re.DOTALL)
    assert found, page
    return found[0]
