"""The core of the running program: what pages and API act upon, put together in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from datetime import timedelta

from webclient.calls.delivery import Deliveries
from webclient.calls.running import OpenCalls
from webclient.calls.service import Calls
from webclient.config_file import ServerConfig
from webclient.inbox import Deadlines, Gate, Inbox, Lengths
from webclient.inbox.intake import Questions
from webclient.inbox.policy import Limits
from webclient.live import Hub
from webclient.model import LOCAL_USER
from webclient.pictures import Pictures
from webclient.protocol.limits import ServerLimits
from webclient.retention import Retention
from webclient.retention_policy import Keeping
from webclient.servers.connections import Connections
from webclient.servers.registry import Servers
from webclient.settings import Settings
from webclient.stoppable import Stoppable
from webclient.store import Store


@dataclass(frozen=True, slots=True)
class Core:
    """Everything that lives as long as the process."""

    settings: Settings
    store: Store
    hub: Hub
    inbox: Inbox
    gate: Gate
    deadlines: Deadlines
    connections: Connections
    servers: Servers
    calls: Calls
    retention: Retention
    pictures: Pictures


def build(settings: Settings) -> Core:
    """Put the core together; nothing is opened or started yet."""
    store = Store(settings.data_dir, settings.token)
    keeping = Keeping(values=timedelta(days=settings.keep_values_days), entries=_days(settings.keep_history_days))
    hub = Hub()
    deadlines = Deadlines(store, hub, Lengths(_seconds(settings.deadline_push), _seconds(settings.deadline_rounds)))
    inbox = Inbox(store, hub, deadlines, keeping)
    open_calls = OpenCalls(store, hub)
    deliveries = Deliveries(store, hub)
    gate = Gate(store, inbox, _limits(settings))
    questions = Questions(inbox, gate, open_calls, deliveries, store.health)
    connections = Connections(
        store, hub, inbox, open_calls, questions, beat=settings.beat_seconds, limits=_server_limits(settings)
    )
    servers = Servers(store, hub, inbox, connections)
    calls = Calls(store, inbox, connections, open_calls, questions, deliveries=deliveries, keeping=keeping)
    return Core(
        settings, store, hub, inbox, gate, deadlines, connections, servers, calls, Retention(store, keeping), Pictures()
    )


def _days(given: int | None) -> timedelta | None:
    return None if given is None else timedelta(days=given)


def _seconds(given: float | None) -> timedelta | None:
    return None if given is None else timedelta(seconds=given)


def _limits(settings: Settings) -> Limits:
    return Limits(
        burst=settings.ask_burst,
        rate=settings.ask_rate,
        pending=settings.max_pending,
        size=settings.max_question_bytes,
    )


def _server_limits(settings: Settings) -> ServerLimits:
    named = {field.name: getattr(settings, field.name) for field in fields(ServerLimits)}
    # What waits for the person is unanswered for good reason.
    return ServerLimits(**named | {"max_server_requests": settings.max_server_requests + settings.max_pending})


async def let_go(core: Core) -> None:
    """End the event streams and the connections: what takes longest when this program stops, and needs no requests."""
    core.store.health.close()
    core.hub.close()
    await core.connections.close()


@asynccontextmanager
async def running(core: Core, configured: Sequence[ServerConfig] = ()) -> AsyncIterator[None]:
    """Run the core while the block runs: its store is open, and the configured servers begin to connect."""
    await core.store.open()
    await core.servers.configure(LOCAL_USER, configured)
    await core.calls.resume()
    background = [
        Stoppable(core.store.health.watch(core.hub.refresh), name="health"),
        Stoppable(core.deadlines.keep(core.inbox), name="deadlines"),
        Stoppable(core.retention.keep(), name="retention"),
    ]
    try:
        yield
    finally:
        core.store.health.close()
        for work in background:
            work.stop()
        await asyncio.gather(*(work.ended() for work in background))
        await let_go(core)
        await core.pictures.close()
        await core.gate.close()
        await core.store.close()
