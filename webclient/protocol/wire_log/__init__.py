"""The wire log: the JSON-RPC messages of each server in the order in which they passed, and what of them may be shown.

Promises: it is in memory and bounded, for each server and in total; noting a message costs microseconds, because
its text is neither read nor copied; what may be a secret leaves this room masked. `messages` has one message,
`logs` stores them, `known_secrets` and `masking` decide what is masked, and `entries` are what readers get. `reader`
also masks what the store knows. Only on request `writer` writes it to a file as well, which `log_file` bounds.
"""

from __future__ import annotations

from webclient.protocol.wire_log.entries import LogFilter, Masks, WireLogEntry
from webclient.protocol.wire_log.known_secrets import Withheld
from webclient.protocol.wire_log.log_file import LogFile, LogFileError
from webclient.protocol.wire_log.logs import LONGEST, ServerLog, Snapshot, WireLogs
from webclient.protocol.wire_log.messages import Direction, MessageKind, WireMessage
from webclient.protocol.wire_log.reader import WireLogReader
from webclient.protocol.wire_log.writer import WireLogWriter

__all__ = [
    "LONGEST",
    "Direction",
    "LogFile",
    "LogFileError",
    "LogFilter",
    "Masks",
    "MessageKind",
    "ServerLog",
    "Snapshot",
    "WireLogEntry",
    "WireLogReader",
    "WireLogWriter",
    "WireLogs",
    "WireMessage",
    "Withheld",
]
