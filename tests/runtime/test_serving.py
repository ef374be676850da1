"""The program as a process: what it makes of the limits it is started with."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import uvloop
from fastapi import FastAPI

from tests.program import program
from webclient.runtime.serving import HttpServer

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


def test_an_idle_connection_outlasts_those_of_usual_clients() -> None:
    """The one that closes it first must not be the program: a request may be on its way."""
    assert HttpServer(FastAPI(), lambda: None, patience=60).config.timeout_keep_alive > 90


def test_uvloop_is_the_event_loop_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    config = HttpServer(FastAPI(), lambda: None, patience=60).config
    assert config.get_loop_factory() is uvloop.new_event_loop
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert config.get_loop_factory() is asyncio.SelectorEventLoop
