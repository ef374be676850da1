"""One scene of the guided demo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A call to run with one click. `story` says what the person wanted and why the server asks; `task`, how to go on.

    `server` is one of the names in `webclient.demo`. `undo_tool` is run before the scene is run again, so that the
    server asks again. With an `agent`, the agent of this name calls through the gateway. With `ends_when_stopped`, a
    person has seen it once they stopped the call. An attack has the sentences `attack` and `protection`, which are ours
    and never the server's.
    """

    key: str
    server: str
    tool: str
    title: str
    summary: str
    task: str
    story: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    undo_tool: str = ""
    agent: str = ""
    ends_when_stopped: bool = False
    attack: str = ""
    protection: str = ""
