"""Runtime: the command line, and how the program starts, reloads and ends.

Promises: a command that cannot do its work ends with one sentence and an exit status that says whether a restart may
help; a signal ends or reloads the program at any moment, also while it starts. Nothing large is loaded before a command
needs it.
"""

from __future__ import annotations

import io
import sys

from webclient.runtime.exit_status import INTERRUPTED

__all__ = ["main"]


def main() -> None:
    """Run the command `mcp-webclient`. Ctrl-C ends it without a word, however early it comes."""
    try:
        _escape_unknown_characters()
        # Loading the command line takes a part of the start, in which Ctrl-C may come as well.
        from webclient.runtime.cli import app  # noqa: PLC0415

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _escape_unknown_characters() -> None:
    # A terminal in GBK or ISO-8859-1 lacks some characters of sentences and names: none of them may end the program.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
