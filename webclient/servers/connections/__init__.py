"""The servers of a user: their configuration, their connections and their catalogs.

Promises: one connection for each server at most, which reconnects by itself and ends within five seconds; nothing from
the browser can run a command; the catalog is listed once, and again only when it may have changed; a removed server
leaves nothing behind. Imports nothing of the SDK.
"""

from __future__ import annotations

from webclient.servers.connections.asking import asking
from webclient.servers.connections.completion import completes_arguments
from webclient.servers.connections.configured import error_of
from webclient.servers.connections.connection import Connection
from webclient.servers.connections.connections import Connections
from webclient.servers.connections.following import (
    LONGEST_URI,
    MOST_FOLLOWED,
    following,
    not_following,
    notifies_of_updates,
)
from webclient.servers.connections.learned_eras import also_speaks
from webclient.servers.connections.presence import Presence
from webclient.servers.connections.registry import Servers
from webclient.servers.connections.sign_in_settings import checked_settings
from webclient.servers.connections.task_support import (
    TaskSupport,
    has_tasks,
    lists_tasks,
    requires_task,
    takes_tasks,
    task_support,
)
from webclient.servers.connections.trial import Trial, try_server

__all__ = [
    "LONGEST_URI",
    "MOST_FOLLOWED",
    "Connection",
    "Connections",
    "Presence",
    "Servers",
    "TaskSupport",
    "Trial",
    "also_speaks",
    "asking",
    "checked_settings",
    "completes_arguments",
    "error_of",
    "following",
    "has_tasks",
    "lists_tasks",
    "not_following",
    "notifies_of_updates",
    "requires_task",
    "takes_tasks",
    "task_support",
    "try_server",
]
