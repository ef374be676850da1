"""The parts of the running program, put together in one place: pages and API act upon these services."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import partial
from typing import Any

from webclient import __version__
from webclient.calls import (
    Calls,
    CallSpans,
    DriverServices,
    Logs,
    PollScheduler,
    RunningCalls,
    ServerRequests,
    ServerTasks,
    SessionWork,
)
from webclient.cluster import Residents
from webclient.content.pictures import Pictures
from webclient.domain.model import LOCAL_PERSON, LOCAL_USER
from webclient.domain.spans import Spans
from webclient.gateway import Authorizer, Followers, Gateway, Passing
from webclient.inbox import (
    Admission,
    DeadlineLengths,
    Deadlines,
    Decisions,
    Deliveries,
    Inbox,
    Intake,
    Limits,
    ProgramRequests,
    Retention,
    RetentionPolicy,
)
from webclient.inbox.program_answers import AnswerWebhooks
from webclient.network import networks_of, open_spans
from webclient.notifications import Notices
from webclient.protocol import ServerLimits, SessionEvents
from webclient.protocol.wire_log import LogFile, WireLogReader, WireLogs, WireLogWriter
from webclient.sampling import Samplings
from webclient.sampling.llm import Model, Models, read_models
from webclient.servers.accounts import Accounts
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections import Connections, Presence, Servers
from webclient.servers.icons import Icons
from webclient.servers.sign_in import SignIns
from webclient.servers.skills import Skills
from webclient.settings import Settings, digests_of
from webclient.store import LOCAL_NODE, Store, Topic
from webclient.store.live import Hub
from webclient.support.background import keep
from webclient.support.turns import current, metering

SELDOM = 15.0
"""Seconds between two looks at what is announced as well: sign-ins also end by themselves."""

LONGEST_END = 10
"""Seconds after which the end of this program waits no more for a database that hangs."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that live as long as the process."""

    settings: Settings
    store: Store
    hub: Hub
    inbox: Inbox
    decisions: Decisions
    admission: Admission
    deadlines: Deadlines
    intake: Intake
    logs: Logs
    connections: Connections
    servers: Servers
    presence: Presence
    calls: Calls
    call_spans: CallSpans
    server_tasks: ServerTasks
    skills: Skills
    retention: Retention
    pictures: Pictures
    icons: Icons
    wire_logs: WireLogs
    log_reader: WireLogReader
    log_writer: WireLogWriter
    sign_ins: SignIns
    models: Models
    sampling: Samplings
    notices: Notices
    program_requests: ProgramRequests
    answer_webhooks: AnswerWebhooks
    accounts: Accounts
    gateway: Gateway
    authorizer: Authorizer
    residents: Residents | None
    """The users who live on this node, if several share the database."""


def build(settings: Settings, models: Sequence[Model] = (), spans: Spans | None = None) -> Services:
    """Put the services together, with these `models` beside the configured ones; nothing is opened or started yet.

    Without `spans`, the environment says where they go. Raises SpansError.
    """
    spans = spans or open_spans(os.environ)
    store = Store(
        settings.data_dir,
        settings.token or "",
        url=settings.database_url,
        node=settings.node_url or LOCAL_NODE,
        shares=settings.node_url is not None,
        direct_url=settings.database_direct_url,
        secret_keys=settings.secret_keys,
    )
    retention_policy = RetentionPolicy(
        values=timedelta(days=settings.keep_values_days), entries=_days(settings.keep_history_days)
    )
    hub = Hub(settings.user_limits.streams)
    deadlines = Deadlines(
        store, hub, DeadlineLengths(_seconds(settings.deadline_push), _seconds(settings.deadline_rounds))
    )
    inbox = Inbox(store, hub, deadlines, retention_policy)
    running_calls = RunningCalls(store, hub)
    deliveries = Deliveries(store, hub)
    admission = Admission(store, hub, inbox, _limits(settings))
    intake = Intake(store, inbox, admission, deliveries)
    scheduler = PollScheduler()
    work = SessionWork(store, inbox, intake, deliveries=deliveries, running_calls=running_calls, scheduler=scheduler)
    logs = Logs(store, hub, running_calls)
    # Values that are not to be kept are not kept in memory either.
    wire_logs = WireLogs(
        settings.max_wire_log_bytes if settings.keep_values_days else 0,
        lambda key: [running.call.id for running in running_calls.possible_calls(key)],
    )
    followers = Followers()
    passing = Passing(store, inbox)
    intake.roots = passing.roots
    events = SessionEvents(
        requests=ServerRequests(
            store, intake, work, links=inbox.links, deliveries=deliveries, running_calls=running_calls
        ),
        hosted_tasks=intake.hosted_answers,
        work=work,
        logs=logs,
        notices=followers,
        wire_logs=wire_logs,
    )
    sign_ins = SignIns(store, hub, settings)
    connections = Connections(
        store,
        hub,
        events,
        ping_interval=settings.beat_seconds,
        limits=_server_limits(settings),
        authorization_for=sign_ins.authorization_for,
        guard=sign_ins.guard,
    )
    icons = Icons(sign_ins.guard)
    servers = Servers(
        store,
        hub,
        inbox,
        admission,
        connections=connections,
        wire_logs=wire_logs,
        sign_ins=sign_ins,
        icons=icons,
        most_added=settings.user_limits.servers,
    )
    sign_ins.disconnect = servers.lose
    # The token signs a person in, as an administrator.
    by_token = LOCAL_PERSON.issuer in settings.identity
    presence = Presence(
        store,
        hub,
        servers,
        idle_seconds=60 * settings.user_idle_minutes,
        always_here=[LOCAL_USER] if by_token and settings.node_url is None else [],
    )
    driver_services = DriverServices(
        inbox=inbox,
        intake=intake,
        connections=connections,
        deliveries=deliveries,
        work=work,
        scheduler=scheduler,
        spans=spans,
    )
    calls = Calls(store, running_calls, driver_services, retention_policy, settings.user_limits.calls)
    log_reader = WireLogReader(store, wire_logs)
    configured = read_models(settings.models, os.environ, settings.ca_file) if settings.models else ()
    all_models = Models([*configured, *models])
    answer_webhooks = AnswerWebhooks(store, hub, networks_of(settings.webhook_networks), settings.ca_file)
    notices = Notices(store, hub, settings)
    program_requests = ProgramRequests(
        store, hub, inbox, admission, answer_webhooks, others=_limits_for_others(settings)
    )
    log_writer = WireLogWriter(wire_logs, log_reader, _log_file(settings))
    decisions = Decisions(
        store,
        hub,
        inbox,
        timedelta(seconds=settings.undo_seconds),
        timedelta(seconds=settings.undo_approval_seconds),
    )
    samplings = Samplings(store, hub, inbox, all_models)

    house = Services(
        settings,
        store,
        hub,
        inbox,
        decisions,
        admission,
        deadlines,
        intake,
        logs,
        connections,
        servers,
        presence,
        calls,
        CallSpans(store, hub, spans),
        ServerTasks(store, connections, calls),
        Skills(connections),
        Retention(store, retention_policy),
        Pictures(),
        icons,
        wire_logs,
        log_reader,
        log_writer,
        sign_ins,
        all_models,
        samplings,
        notices,
        program_requests,
        answer_webhooks,
        Accounts(store, presence, notices, program_requests, log_writer, by_token=by_token),
        Gateway(
            store,
            hub,
            connections,
            calls,
            followers,
            spans=spans,
            passing=passing,
            max_body_bytes=settings.max_body_bytes,
        ),
        Authorizer(store, connections, program_requests),
        residents=None,
    )
    return replace(house, residents=_residents(house)) if settings.node_url else house


def _residents(house: Services) -> Residents:
    """Return the users who live on this node, of several that share the database."""

    async def take_over(user_id: str) -> None:
        """Have a user live here, and go on with what they left on another node."""
        await house.calls.resume_of(user_id, partial(connect, user_id))
        house.gateway.adopt(user_id)
        await house.sampling.resume(user_id)
        await house.decisions.send_all(user_id)
        house.deadlines.check()
        house.notices.look(user_id)
        house.answer_webhooks.wake()
        # One that was revoked before they came.
        await house.program_requests.withdraw_revoked()

    async def connect(user_id: str) -> None:
        """Connect the servers of a user whose calls go on; those of others are once they come."""
        if await house.store.system.resumable_calls(user_id):
            await house.presence.connect(user_id)
        else:
            house.presence.expect(user_id)

    async def hand_over(user_id: str) -> None:
        """End everything of a user who lives elsewhere now; first what needs no database."""
        await house.calls.hand_over(user_id, partial(leave, user_id))
        await house.store.system.leave_over(user_id)

    async def leave(user_id: str) -> None:
        await house.connections.stop_of(user_id)
        await house.presence.leave(user_id)

    residents = Residents(house.store.placements, take_over, hand_over)
    house.presence.on_left = residents.left
    house.accounts.here_elsewhere = house.store.placements.placed
    house.retention.may_purge = lambda: residents.is_first
    _hear_others(house, residents)
    return residents


def _hear_others(house: Services, residents: Residents) -> None:
    """Read again at once what other processes have changed for everybody, and seldom look for it."""

    async def end_sign_ins() -> None:
        await house.store.watched_sign_ins.look()
        await house.program_requests.withdraw_revoked()

    if connection := house.store.node_connection:
        connection.reads |= {
            Topic.USERS: house.accounts.look,
            Topic.SIGN_INS: end_sign_ins,
            Topic.IDENTITIES: house.servers.sign_in_again,
            Topic.ERASED: house.accounts.follow_deletions,
            Topic.RULES: house.store.rules.look,
            Topic.NODES: residents.look,
        }
    house.accounts.pause = house.store.watched_sign_ins.pause = SELDOM


def _log_file(settings: Settings) -> LogFile | None:
    return LogFile(settings.wire_log, settings.max_wire_log_file_bytes) if settings.wire_log else None


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
        sampling_size=settings.max_sampling_bytes,
        user_pending=settings.user_limits.pending,
    )


def _limits_for_others(settings: Settings) -> Limits:
    return Limits(burst=settings.ask_others_burst, rate=settings.ask_others_rate, pending=settings.ask_others_pending)


def _server_limits(settings: Settings) -> ServerLimits:
    named = {field.name: getattr(settings, field.name) for field in fields(ServerLimits)}
    # What waits for the person is unanswered for good reason.
    return ServerLimits(**named | {"max_server_requests": settings.max_server_requests + settings.max_pending})


async def let_go(services: Services) -> None:
    """End the event streams and the connections: what takes longest when this program stops, and needs no requests.

    Before that, what people have decided goes to the servers.
    """
    if services.residents:
        await services.residents.begin_to_leave()
    services.store.end_within(LONGEST_END)
    current().close()
    async with AsyncExitStack() as last_first:
        last_first.push_async_callback(services.logs.close)
        last_first.push_async_callback(services.intake.close)
        last_first.push_async_callback(services.sign_ins.close)
        last_first.push_async_callback(services.calls.close)
        last_first.callback(services.wire_logs.close)
        last_first.callback(services.hub.close)
        last_first.callback(services.store.health.close)
        last_first.push_async_callback(services.sampling.close)
        last_first.push_async_callback(services.decisions.close)
        last_first.push_async_callback(services.gateway.close)


@asynccontextmanager
async def running(services: Services, configured: Sequence[ServerConfig] = ()) -> AsyncIterator[None]:
    """Run the services while the block runs: its store is open, and the configured servers begin to connect."""
    with metering():
        async with _running(services, configured):
            yield


@asynccontextmanager
async def _running(services: Services, configured: Sequence[ServerConfig]) -> AsyncIterator[None]:
    async with AsyncExitStack() as last_first:
        await services.store.open()
        for close in (
            services.store.close,
            services.inbox.close,
            services.admission.close,
            services.pictures.close,
            services.models.close,
            services.answer_webhooks.close,
            services.notices.close,
            services.icons.close,
            services.log_writer.close,
            services.call_spans.close,
        ):
            last_first.push_async_callback(close)
        if services.residents:
            last_first.push_async_callback(services.residents.leave)
        last_first.push_async_callback(let_go, services)
        if "token" not in services.settings.model_fields_set:
            # A new one is made at each start.
            await services.store.browser_sessions.remove_local()
        services.log_writer.start()
        services.call_spans.begin()
        if services.residents:
            services.presence.begin(configured)
            await services.residents.begin(__version__, digests_of(services.settings))
            services.calls.begin()
        else:
            await services.presence.open(configured)
            await services.calls.resume()
            services.gateway.adopt()
            await services.sampling.resume()
            await services.decisions.send_all()
        if services.residents:
            _keep(last_first, services.residents.run, "residents")
        if services.store.node_connection:
            _keep(last_first, services.store.node_connection.run, "node connection")
        for work, name in (
            (partial(services.store.health.watch, services.hub.refresh), "health"),
            (partial(services.deadlines.run, services.inbox.expire), "deadlines"),
            (services.store.watched_sign_ins.run, "sign-ins"),
            (services.retention.run, "retention"),
            (services.notices.run, "notices"),
            (services.answer_webhooks.run, "answer webhooks"),
            (services.presence.run, "presence"),
            (services.accounts.run, "accounts"),
            (services.sign_ins.checks.run, "checks of the company"),
        ):
            _keep(last_first, work, name)
        last_first.callback(services.store.health.close)
        yield


def _keep(last_first: AsyncExitStack, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
    task = keep(work, name=name)
    last_first.push_async_callback(task.ended)
    last_first.callback(task.stop)
