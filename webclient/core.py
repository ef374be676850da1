"""The core of the running program: what pages and API act upon, put together in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from webclient.config_file import ServerConfig
from webclient.connections import Calls, Connections, Deliveries, OpenCalls, Questions
from webclient.inbox import Gate, Inbox
from webclient.inbox.policy import Limits
from webclient.live import Hub
from webclient.model import LOCAL_USER
from webclient.settings import Settings
from webclient.store import Store


@dataclass(frozen=True, slots=True)
class Core:
    """Everything that lives as long as the process."""

    settings: Settings
    store: Store
    hub: Hub
    inbox: Inbox
    gate: Gate
    connections: Connections
    calls: Calls


def build(settings: Settings) -> Core:
    """Put the core together; nothing is opened or started yet."""
    store = Store(settings.data_dir)
    hub = Hub()
    inbox = Inbox(store, hub)
    open_calls = OpenCalls(store, hub)
    deliveries = Deliveries(store, hub)
    gate = Gate(store, inbox, _limits(settings))
    questions = Questions(inbox, gate, open_calls, deliveries)
    connections = Connections(store, hub, inbox, open_calls, questions, beat=settings.beat_seconds)
    calls = Calls(store, inbox, connections, open_calls, questions, deliveries=deliveries)
    return Core(settings, store, hub, inbox, gate, connections, calls)


def _limits(settings: Settings) -> Limits:
    return Limits(
        burst=settings.ask_burst,
        rate=settings.ask_rate,
        pending=settings.max_pending,
        size=settings.max_question_bytes,
    )


@asynccontextmanager
async def running(core: Core, configured: Sequence[ServerConfig] = ()) -> AsyncIterator[None]:
    """Run the core while the block runs: its store is open, and the configured servers begin to connect."""
    await core.store.open()
    await core.connections.configure(LOCAL_USER, configured)
    await core.calls.resume()
    try:
        yield
    finally:
        core.hub.close()
        await core.connections.close()
        await core.gate.close()
        await core.store.close()
