"""Calls from start to result: start, cancel, retry and resume them, and serve what happens in sessions meanwhile.

Promises: a call ends in one visible state with its reason; no timeout runs while a person thinks; a call that waits
between two rounds has a checkpoint and outlives its session and this process; what may have run is not sent twice.
Read it from the data up: `checkpoint`, `rounds`, `required_links`, `outcomes`, `running`, `driver`, `service`. Imports
nothing of the SDK.
"""

from __future__ import annotations

from webclient.calls.approving import AskFirst, Judgement
from webclient.calls.call_spans import CallSpans
from webclient.calls.driving import DriverServices
from webclient.calls.logs import Logs
from webclient.calls.polling import PollScheduler
from webclient.calls.running import OnProgress, RunningCalls
from webclient.calls.server_requests import ServerRequests
from webclient.calls.server_tasks import ListedTask, ServerTasks
from webclient.calls.service import Calls
from webclient.calls.session_work import SessionWork

__all__ = [
    "AskFirst",
    "CallSpans",
    "Calls",
    "DriverServices",
    "Judgement",
    "ListedTask",
    "Logs",
    "OnProgress",
    "PollScheduler",
    "RunningCalls",
    "ServerRequests",
    "ServerTasks",
    "SessionWork",
]
