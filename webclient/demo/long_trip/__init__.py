"""`plan_trip` of the travel desk: a minute of work that asks twice on the way, as a task (MCP extension, 2026-07-28).

`plan` says where the work stands at a moment, `tasks` speaks the protocol, and `shelf` stores what must survive.
"""

from __future__ import annotations

from webclient.demo.long_trip.plan import plan_trip
from webclient.demo.long_trip.shelf import TaskShelf
from webclient.demo.long_trip.tasks import TasksExtension

__all__ = ["TaskShelf", "TasksExtension", "plan_trip"]
