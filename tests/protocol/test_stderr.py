"""Standard error of a child: the parts that are kept, and how they are shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.house import config, house
from webclient.domain.model import ServerState
from webclient.protocol.transports.stderr import FIRST, LAST, OMITTED, StderrTail, shorten

pytestmark = pytest.mark.anyio

NODE = """
import sys
sys.stderr.write("node:internal/modules/cjs/loader:1228\\n  throw err;\\n  ^\\n\\n")
sys.stderr.write("Error: Cannot find module 'left-pad'\\n")
sys.stderr.write("Require stack:\\n" + "".join(f"    at Module._load (node:internal/{n}:1)\\n" for n in range(200)))
sys.exit("Node.js v22.1.0")
"""


async def test_a_crash_with_the_error_on_top_shows_it(tmp_path: Path) -> None:
    transport = {"type": "stdio", "command": sys.executable, "args": ["-c", NODE]}
    async with house(tmp_path, [config("node", transport)]) as rooms:
        error = (await rooms.status("node", ServerState.ERROR)).error
    assert error
    output = str(error.reason.params["output"])
    assert "Error: Cannot find module 'left-pad'" in output
    assert OMITTED in output
    assert output.endswith("Node.js v22.1.0")


async def test_both_ends_are_kept_and_no_more() -> None:
    with StderrTail() as stderr:
        file = stderr.open()
        for n in range(10):
            file.write(f"line {n} " + "x" * 3000 + "\n")
            file.flush()
            stderr._read()
        assert stderr.text.startswith("line 0 ")
        assert stderr.text.count(OMITTED) == 1
        assert len(stderr.text) <= FIRST + LAST + 10


async def test_little_text_is_kept_whole() -> None:
    with StderrTail() as stderr:
        file = stderr.open()
        file.write("a" * (FIRST + 5) + "z")
        file.flush()
        stderr._read()
        assert stderr.text == "a" * (FIRST + 5) + "z"


@pytest.mark.parametrize(("encoding", "system"), [("utf-8", "gbk"), ("gbk", "gbk"), ("utf-8", "ascii")])
async def test_output_is_read_in_utf_8_or_as_the_system(
    encoding: str, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webclient.protocol.transports.stderr.getencoding", lambda: system)
    with StderrTail() as stderr:
        os.write(stderr.open().fileno(), "服务器停止了".encode(encoding))
        stderr._read()
        assert stderr.text == "服务器停止了"


def test_a_brief_text_has_whole_lines_of_both_ends() -> None:
    text = "\n".join(f"line {n}" for n in range(100))
    assert shorten(text, 40) == f"line 0\nline 1\n{OMITTED}\nline 98\nline 99"
    assert shorten("short", 40) == "short"
    assert shorten("x" * 100, 10) == f"xxxxx\n{OMITTED}\nxxxxx"
