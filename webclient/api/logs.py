"""The log of a call in the shape of the API."""

from __future__ import annotations

from datetime import UTC
from typing import NotRequired

from typing_extensions import TypedDict

from webclient.model import CallLog, LogEntry


class LogEntryShape(TypedDict):
    """A log message of a server, as text; `shared`: sent during several calls, and the server does not say which."""

    at: str
    level: str
    logger: NotRequired[str]
    text: str
    shared: NotRequired[bool]


class CallLogShape(TypedDict):
    """The newest log messages of a call, oldest first, and how many older ones are not kept."""

    entries: list[LogEntryShape]
    omitted: int


def log_shape(log: CallLog) -> CallLogShape:
    """Return the API's JSON of what a server logged during a call."""
    return {"entries": [_log_entry(entry) for entry in log.entries], "omitted": log.omitted}


def _log_entry(entry: LogEntry) -> LogEntryShape:
    moment = entry.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    shape: LogEntryShape = {"at": moment, "level": entry.level, "text": entry.text}
    if entry.logger:
        shape["logger"] = entry.logger
    if entry.shared:
        shape["shared"] = True
    return shape
