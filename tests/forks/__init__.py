"""A fork server: starts our Python programs in milliseconds, because their imports are loaded already.

What it starts is a real process with a pid, files and sockets of its own, that any signal ends. Only the loading of
modules is saved, which `tests/runtime/test_cli.py` and `tests/test_ending.py` test with processes started from nothing.
"""

from tests.forks.forks import ADDRESS, Forked, fork, launched, module_of, ready
from tests.forks.server import listening

__all__ = ["ADDRESS", "Forked", "fork", "launched", "listening", "module_of", "ready"]
