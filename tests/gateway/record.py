"""Records conversations with published servers for `test_recorded.py`: `python -m tests.gateway.record [NAME]...`.

The servers are those of `tests/real`, so what `make servers` installs has to be there. Paths, and what differs from
time to time, are replaced.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.gateway.recording import CORPUS, Wire, wired
from tests.mcp_servers import ROOT, stdio
from tests.real.published import PUSH, ROUNDS, Dialogue, Published
from tests.real.started import NO_WAY_OUT
from tests.real.talk import SERVERS
from webclient.domain.model import Era, Json

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")

AT_MOST = 4
"""Dialogues of `tests/real` that are recorded of each server."""

MOST_ENTRIES = 6
"""Entries of a list that are saved."""

_RANDOM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\"requestState\": \")[^\"]+(?=\")")
_TIME = re.compile(r"\d{1,2}:\d\d:\d\d [AP]M")
_CHANGING = re.compile(r"(\"progressToken\": )\d+")

Request = tuple[str, Json]


def _tool(name: str, /, **arguments: object) -> Request:
    return "tools/call", {"name": name, "arguments": arguments}


_NOWHERE: Sequence[Request] = (
    _tool("no-such-tool"),
    ("prompts/get", {"name": "no-such-prompt"}),
    ("resources/read", {"uri": "nowhere://at/all"}),
    ("vendor/unknown", {"a": None}),
)
"""Requests that every server refuses."""


@dataclass(frozen=True, slots=True)
class Session:
    """A server to record, and the `requests` to send after its lists and its dialogues."""

    name: str
    server: Published
    requests: Sequence[Request] = ()


def _published(name: str, sdk: str) -> Published:
    return next(each for each in SERVERS if (each.name, each.sdk) == (name, sdk))


_PROMPT = {"type": "ref/prompt", "name": "completable-prompt"}
_EVERYTHING: Sequence[Request] = (
    _tool("echo", message="Hello"),
    _tool("echo"),
    _tool("get-sum", a=1, b=2.5),
    _tool("get-structured-content", location="Chicago"),
    _tool("get-annotated-message", messageType="error", includeImage=False),
    _tool("get-resource-links", count=2),
    _tool("get-resource-reference", resourceType="Text", resourceId=1),
    _tool("trigger-long-running-operation", duration=0.2, steps=2),
    ("prompts/get", {"name": "simple-prompt"}),
    ("prompts/get", {"name": "args-prompt", "arguments": {"city": "Bern"}}),
    ("prompts/get", {"name": "resource-prompt", "arguments": {"resourceType": "Text", "resourceId": "1"}}),
    ("completion/complete", {"ref": _PROMPT, "argument": {"name": "department", "value": "E"}}),
    ("resources/read", {"uri": "demo://resource/dynamic/text/1"}),
)

_ASKER = stdio("asker", forked=False)
_OWN = Published(
    name="a server of ours",
    package="mcp",
    sdk="Python SDK 2",
    ours=True,
    command=(_ASKER["command"], *_ASKER["args"]),
    dialogues={
        PUSH: (Dialogue("ask_form", {}, ({"action": "accept", "content": {"name": "Ann"}},), ""),),
        ROUNDS: (
            Dialogue("ask_form", {}, ({"action": "accept", "content": {"name": "Ann"}},), ""),
            Dialogue("ask_form", {}, ({"action": "decline"},), ""),
            Dialogue("ask_url", {"url": "https://example.com/"}, ({"action": "accept"},), ""),
        ),
    },
)

SESSIONS = (
    Session("everything", _published("server-everything", "TypeScript SDK 1"), _EVERYTHING),
    Session("tmcp", _published("a server of ours", "tmcp")),
    Session("mongodb", _published("mongodb-mcp-server over stdio", "TypeScript SDK 2")),
    Session("fastmcp-3", _published("a server of ours with `ctx.sample`", "FastMCP 3")),
    Session("mcp-agent", _published("nested_elicitation_server of mcp-agent", "Python SDK 1")),
    Session("apple-mail", _published("apple-mail-fast-mcp", "FastMCP 4")),
    Session("kubernetes", _published("kubernetes-mcp-server", "Go SDK")),
    Session("azure", _published("Azure MCP", "C# SDK")),
    Session("asker", _OWN, (_tool("log", text="Hello"), _tool("progress", steps=2))),
)


async def record(session: Session, era: Era) -> Json:
    """Hold the conversation with a server in one era, and return it."""
    server = session.server
    with tempfile.TemporaryDirectory() as folder:
        for name, text in server.files.items():
            (Path(folder) / name).write_text(text, "utf-8")
        command = [each.replace("{folder}", folder) for each in server.command]
        own = {name: value.replace("{folder}", folder) for name, value in server.environment.items()}
        own = {name: value for name, value in own.items() if not value.startswith("{")}
        place = ROOT if server is _OWN else Path(folder)
        async with wired(command, era, place, NO_WAY_OUT | own) as wire:
            exchanges = await _exchanges(wire, session, era)
        recording = {"server": f"{server.package} {server.version}", "sdk": server.sdk, "era": era}
        return _lasting(recording | {"exchanges": exchanges}, folder)


async def _exchanges(wire: Wire, session: Session, era: Era) -> list[Json]:
    exchanges = [await wire.begin()]
    exchanges += [await wire.exchange(method, {}) for method in LISTS]
    for dialogue in [each for each in session.server.dialogues[era] if _may_pass(each)][:AT_MOST]:
        wire.answers = [_result(answer) for answer in dialogue.answers]
        exchanges += await wire.dialogue(*_tool(dialogue.tool, **dialogue.arguments))
    for method, params in (*session.requests, *_NOWHERE):
        exchanges += await wire.dialogue(method, params)
    return exchanges


def _may_pass(dialogue: Dialogue) -> bool:
    """Return whether an agent may answer like that: one that cancels leaves the question to the inbox."""
    refusals = [answer for answer in dialogue.answers if answer["action"] != "accept"]
    is_sampling = dialogue.tool in ("trigger-sampling-request", "advise")
    return (
        not dialogue.beside and all(each["action"] == "decline" for each in refusals) and not (refusals and is_sampling)
    )


def _result(answer: Json) -> Json:
    """Return an answer as it is sent: that to a sampling request is a message."""
    message = answer.get("content", {})
    return message if "role" in message else answer


def _lasting(recording: Json, folder: str) -> Json:
    """Return the recording with short lists, and without what differs each time: paths, times, random ids."""
    for exchange in recording["exchanges"]:
        if exchange["method"] in LISTS and (result := exchange.get("result")):
            result |= {key: value[:MOST_ENTRIES] for key, value in result.items() if isinstance(value, list)}
    text = json.dumps(recording, ensure_ascii=False)
    for old, new in {folder: "/folder", str(ROOT): "/project", str(Path.home()): "/home/me"}.items():
        text = text.replace(old, new)
    for number, random in enumerate(dict.fromkeys(_RANDOM.findall(text)), 1):
        text = text.replace(random, f"random-{number}")
    saved: Json = json.loads(_CHANGING.sub(r"\g<1>1", _TIME.sub("12:00:00 PM", text)))
    return saved


def _save(name: str, recording: Json) -> None:
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in recording.pop("exchanges"))
    head = json.dumps(recording, ensure_ascii=False)[:-1]
    (CORPUS / f"{name}.json").write_text(f'{head}, "exchanges": [\n{lines}\n]}}\n', "utf-8")


async def main(names: Sequence[str]) -> None:
    """Record these servers in each era, or all."""
    for session in SESSIONS:
        for era in session.server.dialogues if not names or session.name in names else ():
            _save(f"{session.name}-{era}", await record(session, era))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
