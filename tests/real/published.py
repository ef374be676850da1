"""The words in which a published server is described: how it starts, in which eras it speaks, what is said to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.mcp_servers import ROOT
from webclient.domain.model import Era, Json

NODE = ROOT / "build/npm/node_modules"
MCP_1 = ROOT / "build/mcp-1"
MCP_2 = ROOT / "build/mcp-2"
PACKAGES = ROOT / "tests/real/packages"

NOWHERE = "127.0.0.1:9"
"""An address at which nothing listens, for servers that want one of a service: what was accepted fails there."""

PUSH, ROUNDS = Era.PUSH, Era.ROUNDS


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One call of a tool, the answers in their order, and what the server then says that it got.

    `says` is a text that is in the result, or the first JSON object in it, or the code of the error that ends the call.
    `reconnect_with` is the era that we have to offer where the server cannot ask in its own. A question that comes
    `beside` its call may come later than the result; it is answered after that, and the server says nothing to it.
    """

    tool: str
    arguments: Json
    answers: tuple[Json, ...]
    says: str | Json | int
    reconnect_with: Era | None = None
    beside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A server: `name` as in the table, `package` and `sdk` where it comes from, `ours` if we wrote it ourselves.

    `command` starts it over stdio, `listening` as a process of each transport; `{port}` is a free port in the second,
    `{upstream port}` one for a server behind the first, `{folder}` a folder of its own with the `files`, `{stub}` the
    address of a service that finds nothing. `eras` limits a transport. A server that `signs_in` wants the token of its
    own OAuth server. `pinned_in` names the list of versions if the package is in several.
    """

    name: str
    package: str
    sdk: str
    dialogues: dict[Era, tuple[Dialogue, ...]]
    command: tuple[str, ...] = ()
    listening: dict[str, tuple[str, ...]] = field(default_factory=dict)
    eras: dict[str, tuple[Era, ...]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signs_in: bool = False
    ours: bool = False
    remark: str = ""
    pinned_in: str = ""

    @property
    def version(self) -> str:
        """Return the version that is pinned."""
        lists = sorted(PACKAGES.glob(f"{self.pinned_in or '*'}.txt"))
        pins = [line for path in lists for line in path.read_text("utf-8").splitlines()]
        starts = (f"{self.package}@", f"{self.package}==")
        return next(pin.removeprefix(self.package).lstrip("=@") for pin in pins if pin.startswith(starts))


def accept(**content: Any) -> Json:
    """Return the answer that accepts a form with this content."""
    return {"action": "accept", "content": content}


def writes(text: str) -> Json:
    """Return the answer of a person who writes the message of a model."""
    return accept(role="assistant", content={"type": "text", "text": text}, model="a person", stopReason="endTurn")


def uses(tool: str, **arguments: Any) -> Json:
    """Return the answer of a person who uses a tool like a model."""
    use = {"type": "tool_use", "id": f"call_{tool}", "name": tool, "input": arguments}
    return accept(role="assistant", content=[use], model="a person", stopReason="toolUse")


ACCEPT: Json = {"action": "accept"}
DECLINE: Json = {"action": "decline"}
CANCEL: Json = {"action": "cancel"}


def each(tool: str, arguments: Json, *replies: tuple[Json, str | Json | int]) -> tuple[Dialogue, ...]:
    """Return a dialogue for each pair of an answer and the server's reply."""
    return tuple(Dialogue(tool, arguments, (answer,), says) for answer, says in replies)


def node(script: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line of a script in an npm package."""
    return ("node", str(NODE / script), *arguments)


def python(folder: Path, script: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line of a program in a virtual environment."""
    return (str(folder / "bin" / script), *arguments)
