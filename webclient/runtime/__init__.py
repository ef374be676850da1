"""Runtime: the command line, and how the program starts, reloads and ends.

Promises: a command that cannot do its work ends with one sentence and an exit status that says whether a restart may
help; a signal ends or reloads the program at any moment, also while it starts. Nothing large is loaded before a command
needs it.
"""

from __future__ import annotations

from webclient.runtime.main import main

__all__ = ["main"]
