"""The command `mcp-webclient`, also as `python -m webclient`. Ctrl-C ends it without a word, however early it comes."""

from __future__ import annotations

import sys

from webclient.exit_status import INTERRUPTED


def main() -> None:
    """Run the command line."""
    try:
        # Loading the command line takes a part of the start, in which Ctrl-C may come as well.
        from webclient.cli import app  # noqa: PLC0415

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
