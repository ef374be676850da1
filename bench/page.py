"""The weight of the first page over the wire, with everything that it needs."""

from __future__ import annotations

import re

import httpx2

from bench.measures import Measure
from tests.program import Program

_NEEDED = re.compile(r'(?:src|href)="(/static/[^"]+)"')


async def measure(served: Program) -> list[Measure]:
    """Return the measures; bytes of bodies as they travel, compressed."""
    headers = {"Authorization": f"Bearer {served.token}", "Accept": "text/html"}
    async with httpx2.AsyncClient(base_url=served.base, headers=headers) as browser:
        page = await browser.get("/")
        parts = [await browser.get(path) for path in dict.fromkeys(_NEEDED.findall(page.text))]
    assert all(part.status_code == 200 for part in parts)
    everything = sum(response.num_bytes_downloaded for response in (page, *parts))
    return [
        Measure("first page, its HTML", page.num_bytes_downloaded / 1000, None, "kB"),
        Measure(f"first page, with its {len(parts)} files", everything / 1000, None, "kB"),
    ]
