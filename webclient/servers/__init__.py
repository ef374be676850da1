"""The servers of a user and their lives: what is configured, the connection of each, its catalog.

Promises: one connection for each server at most, which reconnects by itself and ends within five seconds; nothing from
the browser can run a command; the catalog is listed once and again only when it may have changed; a server that is
removed leaves nothing behind. Imports nothing of the SDK.
"""

from __future__ import annotations

from webclient.servers.connection import Connection
from webclient.servers.connections import Connections
from webclient.servers.learned_eras import also_speaks, remember
from webclient.servers.registry import Servers
from webclient.servers.task_support import requires_task, takes_tasks

__all__ = [
    "Connection",
    "Connections",
    "Servers",
    "also_speaks",
    "remember",
    "requires_task",
    "takes_tasks",
]
