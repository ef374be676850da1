"""The services that the drivers of rounds and of tasks share."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.calls.delivery import Deliveries
from webclient.calls.polling import PollScheduler
from webclient.calls.saved_sessions import SavedSessions
from webclient.inbox import Inbox, Intake
from webclient.servers.connections import Connections


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverServices:
    """The services with which each call is driven."""

    inbox: Inbox
    intake: Intake
    connections: Connections
    deliveries: Deliveries
    saved_sessions: SavedSessions
    scheduler: PollScheduler
