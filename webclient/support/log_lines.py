"""Lines of the log: as text, or as JSON objects without anything that a server or a person wrote."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

HIDDEN = "•••"
"""The mask for text from outside."""


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class Quoted(str):
    """Text from outside, as an argument of a log message: JSON lines leave it out, as logs are kept and copied."""

    __slots__ = ()


def log_to_standard_error() -> None:
    """Write the log as text."""
    # Warnings only from libraries: at INFO an HTTP client writes whole URLs, and they may hold secrets.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("webclient").setLevel(logging.INFO)
    # It warns of each malformed request.
    rare_logger("uvicorn.error")


def log_as(log_format: LogFormat) -> None:
    """Write the log in this format from now on."""
    if log_format is LogFormat.JSON:
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonLines())


WINDOW = 600.0
"""Seconds in which lines of one message are written once."""

_counted: dict[tuple[str, str], tuple[float, int]] = {}
"""When each message was last written, and how many were left out since."""


class RareLines(logging.Filter):
    """Lets each message of a logger through once in `WINDOW`, so that strangers cannot fill the log.

    Messages with other arguments are alike. The next line says how many were left out. Errors of this program
    all pass.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        if record.levelno >= logging.ERROR:
            return True
        key = record.name, str(record.msg)
        written, omitted = _counted.get(key, (-WINDOW, 0))
        if time.monotonic() - written < WINDOW:
            _counted[key] = written, omitted + 1
            return False
        _counted[key] = time.monotonic(), 0
        if omitted:
            record.msg = f"{record.msg} ({omitted} more since the line before)"
        return True


def rare_logger(name: str) -> logging.Logger:
    """Return a logger for lines that a request without a sign-in can cause."""
    logger = logging.getLogger(name)
    if not any(isinstance(each, RareLines) for each in logger.filters):
        logger.addFilter(RareLines())
    return logger


def forget_lines() -> None:
    """Write each message again when it comes next."""
    _counted.clear()


class JsonLines(logging.Formatter):
    """One JSON object on a line: time, level, logger, message, and what the message is about.

    `extra={"fields": {...}}` adds fields, which must be free of content. Of an error its type and place are written.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **getattr(record, "fields", {}),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line |= {"error": type(error).__name__, "at": _places(error)}
        # In ASCII, so that the line stays JSON in the encoding of every system.
        return json.dumps(line)


def _message(record: logging.LogRecord) -> str:
    # Libraries write what they like, and this program knows not what.
    if not record.name.startswith("webclient"):
        return str(record.msg) if not record.args else f"{record.msg} {HIDDEN}"
    arguments = record.args
    if isinstance(arguments, Mapping):
        return str(record.msg) % {name: _harmless(value) for name, value in arguments.items()}
    return str(record.msg) % tuple(map(_harmless, arguments)) if arguments else str(record.msg)


def _harmless(argument: Any) -> Any:
    # The sentence of an error may quote what caused it.
    if isinstance(argument, BaseException):
        return type(argument).__name__
    return HIDDEN if isinstance(argument, Quoted) else argument


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
