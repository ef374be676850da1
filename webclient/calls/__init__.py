"""Calls from start to result: start, cancel, retry and resume them, and serve what happens in sessions meanwhile.

Promises: a call ends in one visible state with its reason; no timeout runs while a person thinks; a call that waits
between two rounds has a checkpoint and outlives its session and this process; what may have run is not sent twice.
Read it from the data up: `checkpoint`, `rounds`, `required_links`, `outcomes`, `running`, `driver`, `service`. Imports
nothing of the SDK.
"""

from __future__ import annotations

from webclient.calls.delivery import Deliveries
from webclient.calls.driver_services import DriverServices
from webclient.calls.polling import PollScheduler
from webclient.calls.running import RunningCalls
from webclient.calls.saved_sessions import SavedSessions
from webclient.calls.server_tasks import ListedTask, ServerTasks
from webclient.calls.service import Calls
from webclient.calls.session_listener import SessionListener

__all__ = [
    "Calls",
    "Deliveries",
    "DriverServices",
    "ListedTask",
    "PollScheduler",
    "RunningCalls",
    "SavedSessions",
    "ServerTasks",
    "SessionListener",
]
