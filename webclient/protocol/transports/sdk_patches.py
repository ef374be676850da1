"""All changes of the SDK's inner parts, made once, when this module is loaded; each names what it expects to find."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from functools import partial
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, TextIO

from anyio.abc import Process
from mcp.client import ClientSession, session, sse, stdio, streamable_http
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import ServerProcess  # what the SDK calls a child on any system
from mcp.shared.message import SessionMessage

from webclient.protocol.messages.message_parsing import parsed_message, parsed_or_failed
from webclient.protocol.transports import child_pipes
from webclient.support.library_parts import replace

WRITTEN_FOR = {"mcp": "2.3"}
"""The version of the SDK for which all of this was written."""

RELIED_ON = (
    "transports/sdk_patches.py: everything",
    "messages/message_texts.py: a parsed message keeps a key in its __dict__, and `model_dump_json` prints one",
    "messages/message_texts.py and raw_request.py: the sender's context is that of the post (POSTED, FAIL_REQUEST)",
    "messages/raw_request.py: `send_request` takes a TypeAdapter as the type of the result",
    "session/tap.py: the stream to the SDK has no buffer (`tasks_waiting_receive`) and a `last_context`",
    "transports/session_keeping.py: `initialize` may be answered without the server",
    "transports/http.py: CALL and RESUMED, as the contexts above",
)
"""Behaviour of the SDK that it does not promise, by the file in `protocol/` that relies on it."""

EXCERPT = 200
"""Characters of a line that are kept."""


class NoMessageError(ValueError):
    """A line is not a message; the argument is the beginning of the line."""


class Child(Protocol):
    """Hears of the child process of one session."""

    def started(self, process: ServerProcess) -> None:
        """Note that the process has started."""

    def ended(self) -> None:
        """Note that the process and all its children have ended."""


CHILD: ContextVar[Child | None] = ContextVar("child", default=None)
"""Hears of the process that the SDK starts in this context."""


def number_from(client: ClientSession, first_id: int) -> None:
    """Number the requests of a session from `first_id`; the SDK has no option for it."""
    client._dispatcher._next_id = first_id  # type: ignore[attr-defined]


def read_by(process: Process, lines: Any) -> None:
    """Have the output of a process read by `lines`."""
    process._stdout = lines  # type: ignore[attr-defined]


def _parsed(line: str) -> SessionMessage | Exception:
    # The SDK's own logs a traceback for each line that is not a message.
    try:
        return SessionMessage(parsed_or_failed(line, by_name=False))
    except ValueError:
        return NoMessageError(line[:EXCERPT].strip())


async def _start_known(
    command: str, args: list[str], env: dict[str, str] | None, errlog: TextIO, cwd: Path | str | None
) -> ServerProcess:
    process: ServerProcess
    if sys.platform == "win32":
        process = await _start(command, args, env, errlog, cwd)
    else:
        process = await child_pipes.start([command, *args], env=env, stderr=errlog, cwd=cwd)
    if child := CHILD.get():
        child.started(process)
    return process


async def _stop_whole(process: ServerProcess) -> None:
    await _stop(process)
    # If the child ends in time, or by itself, the SDK leaves the rest of its process group running.
    if sys.platform != "win32" and isinstance(process, Process):
        await terminate_posix_process_tree(process, stdio.FORCE_KILL_TIMEOUT)
    if child := CHILD.get():
        child.ended()


# Together with the half second in which the SDK writes the last messages, these are 2.5 of the five seconds in which
# this program promises to end, children included. The rest takes 0.3 seconds, and several times as long on a busy
# machine: with three seconds for a child that does not stop, the whole took more than five.
replace(stdio, "PROCESS_TERMINATION_TIMEOUT", 1.2, users=1)
replace(stdio, "FORCE_KILL_TIMEOUT", 0.8, users=1)  # both within `STOP_TIMEOUT`

replace(stdio, "_parse_line", _parsed, users=1, parameters="line")
_start = replace(
    stdio,
    "_create_platform_compatible_process",
    _start_known,
    users=1,
    parameters="command args env errlog cwd",
)
_stop = replace(stdio, "_stop_server_process", _stop_whole, users=1, parameters="process")

# The time for connecting limits it.
replace(session, "DISCOVER_TIMEOUT_SECONDS", inf, users=1)

# Our client measures events. The SDK's own limit of 1 MiB would end a call, or all of HTTP+SSE, for one message.
replace(
    sse,
    "sse_within_origin",
    partial(sse.sse_within_origin, max_event_size=None),  # type: ignore[attr-defined]
    users=1,
    parameters="client url headers max_event_size",
)

# Messages carry the text that they were parsed from.
replace(streamable_http, "jsonrpc_message_adapter", SimpleNamespace(validate_json=parsed_message), users=3)
_adapter = SimpleNamespace(validate_json=parsed_or_failed)
replace(sse, "types", SimpleNamespace(**vars(sse.types) | {"jsonrpc_message_adapter": _adapter}), users=1)  # type: ignore[attr-defined]
