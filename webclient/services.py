"""What the running program is made of, put together in one place: pages and API act upon these services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from datetime import timedelta

from webclient.calls import Calls, Deliveries, RunningCalls, SessionListener
from webclient.cancellable_task import CancellableTask
from webclient.config_file import ServerConfig
from webclient.inbox import Admission, Deadlines, Inbox, Intake, Lengths, Limits
from webclient.live import Hub
from webclient.model import LOCAL_USER
from webclient.pictures import Pictures
from webclient.protocol import ServerLimits
from webclient.retention import Retention, RetentionPolicy
from webclient.servers import Connections, Servers
from webclient.settings import Settings
from webclient.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that lives as long as the process."""

    settings: Settings
    store: Store
    hub: Hub
    inbox: Inbox
    admission: Admission
    deadlines: Deadlines
    listener: SessionListener
    connections: Connections
    servers: Servers
    calls: Calls
    retention: Retention
    pictures: Pictures


def build(settings: Settings) -> Services:
    """Put the services together; nothing is opened or started yet."""
    store = Store(settings.data_dir, settings.token)
    retention_policy = RetentionPolicy(
        values=timedelta(days=settings.keep_values_days), entries=_days(settings.keep_history_days)
    )
    hub = Hub()
    deadlines = Deadlines(store, hub, Lengths(_seconds(settings.deadline_push), _seconds(settings.deadline_rounds)))
    inbox = Inbox(store, hub, deadlines, retention_policy)
    running_calls = RunningCalls(store, hub)
    deliveries = Deliveries(store, hub)
    admission = Admission(store, inbox, _limits(settings))
    intake = Intake(inbox, admission, store.health)
    listener = SessionListener(
        store, hub, inbox=inbox, intake=intake, running_calls=running_calls, deliveries=deliveries
    )
    connections = Connections(store, listener, ping_interval=settings.beat_seconds, limits=_server_limits(settings))
    servers = Servers(store, hub, inbox, admission, connections)
    calls = Calls(
        store, inbox, connections, running_calls, intake, deliveries=deliveries, retention_policy=retention_policy
    )
    return Services(
        settings,
        store,
        hub,
        inbox,
        admission,
        deadlines,
        listener,
        connections,
        servers,
        calls,
        Retention(store, retention_policy),
        Pictures(),
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


async def let_go(services: Services) -> None:
    """End the event streams and the connections: what takes longest when this program stops, and needs no requests."""
    services.store.health.close()
    services.hub.close()
    await services.calls.close()
    await services.listener.close()


@asynccontextmanager
async def running(services: Services, configured: Sequence[ServerConfig] = ()) -> AsyncIterator[None]:
    """Run the services while the block runs: its store is open, and the configured servers begin to connect."""
    await services.store.open()
    await services.servers.configure(LOCAL_USER, configured)
    await services.calls.resume()
    background = [
        CancellableTask(services.store.health.watch(services.hub.refresh), name="health"),
        CancellableTask(services.deadlines.run(services.inbox.expire), name="deadlines"),
        CancellableTask(services.retention.run(), name="retention"),
    ]
    try:
        yield
    finally:
        services.store.health.close()
        for work in background:
            work.stop()
        await asyncio.gather(*(work.ended() for work in background))
        await let_go(services)
        await services.pictures.close()
        await services.admission.close()
        await services.inbox.close()
        await services.store.close()
