"""The SDK is loaded once, when the first connection needs it, and not on the event loop."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import asyncio, sys, threading
from webclient import protocol

async def main():
    assert "mcp" not in sys.modules
    loading = asyncio.gather(*(protocol.load_sdk() for _connection in range(50)))
    turns, threads = 0, 0
    while not loading.done():
        turns += 1
        threads = max(threads, threading.active_count())
        await asyncio.sleep(0.001)
    await loading
    assert "mcp" in sys.modules
    print(turns > 3, threads, protocol.Session.__name__, protocol.send_call.__name__)

asyncio.run(main())
"""


@pytest.mark.slow
def test_the_loop_runs_while_one_thread_loads_the_sdk() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, encoding="utf-8", check=False)
    assert (done.stderr, done.stdout.split()) == ("", ["True", "2", "Session", "send_call"])


def test_other_names_are_refused() -> None:
    code = "from webclient import protocol; print(hasattr(protocol, 'Sessions'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "False"
