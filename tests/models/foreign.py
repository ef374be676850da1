"""OpenAI-compatible servers by others, as processes: fakellm (Python) and aimock (Node.js), with one conversation."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mcp_servers import ROOT
from tests.models.asking import KEY
from webclient.domain.model import Json

FAKELLM = ROOT / "build/fakellm/bin/python"
AIMOCK = ROOT / "build/aimock/node_modules/@copilotkit/aimock/dist/cli.js"

Uses = Sequence[tuple[str, Json]]

LOOK: Uses = [("weather", {"city": "Ulm"}), ("trains", {"to": "Ulm"})]
BOOK: Uses = [("book", {"train": "ICE 1"})]
WEATHER, TRAINS, BOOKED = "21 degrees", "ICE 1 at 9:30", "seat 14"
LAST = "You are booked, and it will be warm in Ulm — bring a hat."


@dataclass(frozen=True, slots=True)
class Script:
    """Three answers of a model: `first`, then `second` and `last` after results that contain these texts."""

    first: Uses
    second: tuple[str, Uses]
    last: tuple[str, str]


JOURNEY = Script(LOOK, (TRAINS, BOOK), (BOOKED, LAST))

_ADDRESS = re.compile(r"(?:running|listening) on (http://127\.0\.0\.1:\d+)")


@contextmanager
def fakellm(folder: Path, script: Script = JOURNEY) -> Iterator[str]:
    """Run fakellm while the block runs, and yield its base URL."""
    rules = [
        _rule("last", {"tool_result_contains": script.last[0]}, content=script.last[1]),
        _rule("second", {"tool_result_contains": script.second[0]}, tool_calls=_named(script.second[1])),
        _rule("busy", {"messages_contain": "busy"}, status=429, error="Slow down"),
        _rule("wrong", {"messages_contain": "wrong"}, status=400, error="This is wrong"),
        _rule("first", {"tools_include": "weather"}, tool_calls=_named(script.first)),
    ]
    path = folder / "fakellm.yaml"
    # JSON is YAML as well.
    path.write_text(json.dumps({"version": 1, "rules": rules}), "utf-8")
    program = "from fakellm.cli import main; main()"
    with _started([str(FAKELLM), "-u", "-c", program, "serve", "--port", "0", "--config", str(path)]) as url:
        yield f"{url}/v1"


@contextmanager
def aimock(folder: Path, script: Script = JOURNEY) -> Iterator[str]:
    """Run aimock while the block runs, and yield its base URL; it takes `KEY` alone."""
    fixtures = [
        _fixture({"toolResultContains": script.last[0]}, content=script.last[1]),
        _fixture({"toolResultContains": script.second[0]}, toolCalls=_named(script.second[1])),
        _fixture({"userMessage": "busy"}, error={"message": "Slow down", "type": "rate_limit_error"}, status=429),
        _fixture({"userMessage": "wrong"}, error={"message": "This is wrong"}, status=400),
        _fixture({"toolName": "weather"}, toolCalls=_named(script.first)),
    ]
    path = folder / "aimock.json"
    path.write_text(json.dumps({"fixtures": fixtures}), "utf-8")
    command = ["node", str(AIMOCK), "--port", "0", "--fixtures", str(path), "--strict", "--chunk-size", "5"]
    with _started(command, AIMOCK_API_KEYS=KEY) as url:
        yield f"{url}/v1"


@contextmanager
def _started(command: Sequence[str], **environ: str) -> Iterator[str]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", env=os.environ | environ
    )
    try:
        yield _address(process)
    finally:
        process.kill()
        process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    said = []
    for line in process.stdout:
        said.append(line)
        if found := _ADDRESS.search(line):
            return found[1]
    raise AssertionError("".join(said))


def _named(uses: Uses) -> list[Json]:
    return [{"name": name, "arguments": given} for name, given in uses]


def _rule(name: str, when: Json, **respond: object) -> Json:
    return {"name": name, "when": when, "respond": respond}


def _fixture(match: Json, **response: object) -> Json:
    return {"match": match, "response": response}
