"""The command `mcp-webclient`, also as `python -m webclient`. Ctrl-C ends it without a word, however early it comes."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""The exit status of what Ctrl-C has ended (bash, Exit Status)."""


def main() -> None:
    """Run the command line."""
    try:
        # Most of what it takes to start is loading this.
        from webclient.cli import app  # noqa: PLC0415

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
