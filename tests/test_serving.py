"""The program as a process: what it makes of the limits it is started with."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.program import program

pytestmark = pytest.mark.anyio

USUAL, MOST = 64, 1024
"""Files that may be open, as the program finds it, and as it may choose; the usual 1,024 would make the test slow."""

LIMITED = (
    "import os, resource, sys;"
    f"resource.setrlimit(resource.RLIMIT_NOFILE, ({USUAL}, {MOST}));"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


async def test_more_streams_than_the_usual_open_file_limit(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(program(tmp_path, under=(sys.executable, "-c", LIMITED)))
        api = await stack.enter_async_context(served.client())
        for _each in range(USUAL + 10):
            events = await stack.enter_async_context(api.stream("GET", "/events"))
            assert events.status_code == 200
