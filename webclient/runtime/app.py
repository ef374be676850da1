"""The application: reading `create_app` is reading what is served, to whom, and after which checks."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import asdict
from functools import partial

import httpx2
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from webclient import __version__, services
from webclient import auth as identity
from webclient.auth import (
    LOCAL,
    OIDC,
    Authenticator,
    BackchannelLogout,
    HostSessions,
    Refusal,
    Refusals,
    SavedIdentities,
    Users,
    address_of,
    key_client,
)
from webclient.auth import oidc_provider as oidc
from webclient.auth.embedders import Embedders, read_embedders
from webclient.cluster import Forwarding, HopEntry, Hops, open_client
from webclient.domain.errors import WebclientError
from webclient.servers.config_file import ServerConfig
from webclient.servers.configuration import Configuration
from webclient.settings import Settings, digests_of
from webclient.store import Store, Topic
from webclient.support.log_lines import LogFormat
from webclient.web import api, gateway_routes, monitoring, pages
from webclient.web.http import Assets, Observer, asserted_headers, install_errors, log_request, middleware
from webclient.web.route_scopes import ROUTE_SCOPES

_COMPRESSION = Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
"""Smaller answers gain nothing, and higher levels take twice as long for 3 % less."""


def create_app(
    settings: Settings,
    configured: Sequence[ServerConfig] = (),
    authenticators: Sequence[Authenticator] = (),
    *,
    beside: Sequence[ServerConfig] = (),
    guided: bool = False,
    provider: oidc.Provider | None = None,
) -> FastAPI:
    """Return the app that serves `settings` and connects the `configured` servers while it runs.

    These are of the config file, and follow it at a reload; those `beside` it stay. `authenticators` are asked before
    those of `settings`. A `guided` app begins with the guide to the demo's servers. An OpenID
    `provider` is used in place of that of the settings.
    """
    house = services.build(settings)
    # Only programs with several users have an audit trail.
    refusals = Refusals(partial(_write_refusal, house.store)) if settings.has_users else None
    host = _host_sessions(settings, house.store, refusals)
    if host:
        house.answer_webhooks.knows_embedder = lambda name: host.embedder(name) is not None
    if OIDC in settings.identity:
        provider = provider or oidc.open_provider(settings)
    identities = None
    if provider:
        identities = SavedIdentities(house.store.saved_identities, provider, house.presence.opens_with_sign_in)
        house.sign_ins.identities = identities
        identities.on_saved = house.servers.sign_in_again
    who = identity.build(
        settings,
        house.store.browser_sessions,
        house.store.users,
        authenticators,
        host=host,
        tokens=house.store.program_tokens,
        refusals=refusals,
        provider=provider,
        flows=oidc.BegunFlows(house.store.sealer, house.store.used_tokens),
        identities=identities,
    )

    metrics = monitoring.recorder_for(settings)
    observers: list[Observer] = [metrics.observe] if metrics else []
    if settings.log_format is LogFormat.JSON:
        observers.append(log_request)

    nodes = open_client() if house.residents else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            async with (
                services.running(house, [*configured, *beside]),
                metrics.following(house) if metrics else nullcontext(),
                nodes or nullcontext(),
            ):
                yield
        except WebclientError as error:
            app.state.start_error = error
            raise

    app = FastAPI(
        title="mcp-webclient",
        version=__version__,
        lifespan=lifespan,
        # The stream is left alone: a compressed event would wait in a buffer.
        middleware=[
            *middleware(
                settings,
                who,
                ROUTE_SCOPES,
                None if house.residents else house.presence.arrived,
                observers,
                **_between_nodes(settings, house, nodes),
                hosts=host.origins if host else None,
                label_of=host.label_of if host else lambda _name: None,
                refusals=refusals,
                name_session=partial(_name_session, house.store),
            ),
            _COMPRESSION,
        ],
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        servers=[{"url": settings.base_path}] if settings.base_path else None,
    )
    app.state.services = house
    app.state.start_error = None
    install_errors(app, as_json=lambda request: api.request_shape(request).as_json())
    app.state.identity = who
    app.state.host_sessions = host
    app.state.configuration = configuration = Configuration(
        settings, os.environ, house.store, house.presence, host, configured=configured, beside=beside
    )
    if house.store.node_connection:
        house.store.node_connection.reads[Topic.CONFIGURATION] = configuration.follow
    if residents := house.residents:
        configuration.on_use = lambda: residents.describe(digests_of(settings))
    if provider:
        app.state.backchannel_logout = BackchannelLogout(
            provider, house.store.browser_sessions, house.store.used_tokens, house.store.saved_identities
        )
    # First, because agents call often, and each route before theirs is tried before.
    app.router.routes.extend(gateway_routes.routes())
    app.router.routes.extend(api.routes())
    # Set by who serves the app: only then is there a process to be its parent.
    app.state.demo_program = None
    app.state.guide = pages.Guide() if guided else None
    for router in pages.routers(
        who.sign_in,
        framed=bool(settings.embed_origins),
        guided=guided,
        with_users=settings.has_users,
        with_provider=provider is not None,
        signed_out=house.hub.end,
        refused=partial(_refuse_token, refusals) if refusals else None,
    ):
        app.include_router(router)
    app.router.routes.extend(pages.routes())
    api.describe(app)
    app.include_router(monitoring.router(house, metrics))
    app.mount("/static", Assets(), name="static")
    app.add_api_route("/healthz", _healthz, methods=["GET", "HEAD"], include_in_schema=False)
    return app


def _between_nodes(
    settings: Settings, house: services.Services, nodes: httpx2.AsyncClient | None
) -> dict[str, list[Middleware]]:
    """Return what forwards requests to other `nodes`, if several share the database."""
    if house.residents is None or nodes is None:
        return {}
    hops = Hops(house.store.sealer, settings.node_url or "", house.residents.time)
    forwarding = Middleware(
        Forwarding,
        residents=house.residents,
        hops=hops,
        nodes=nodes,
        arrived=house.presence.arrived,
        withheld=asserted_headers(settings),
    )
    return {"before": [Middleware(HopEntry, hops=hops)], "after": [forwarding]}


def _name_session(store: Store, principal: identity.Principal) -> str:
    in_frame = principal.embedding is not None
    return store.open_sessions.name_of(principal.session_id or "", principal.user_id, in_frame=in_frame)


async def _write_refusal(store: Store, refusal: Refusal, count: int) -> None:
    await store.audit.add_refusal(**asdict(refusal), count=count)


async def _refuse_token(refusals: Refusals, connection: HTTPConnection) -> None:
    await refusals.add(Refusal(address=address_of(connection), way=LOCAL, code="wrong_token"))


def _host_sessions(settings: Settings, store: Store, refusals: Refusals | None) -> HostSessions | None:
    if settings.embedders is None:
        return None
    embedders = Embedders(read_embedders(settings.embedders, os.environ), partial(key_client, settings.ca_file))
    users = Users(store.users, settings.admins)
    return HostSessions(settings, embedders, store.embed_sessions, store.used_tokens, users, refusals=refusals)


async def _healthz() -> PlainTextResponse:
    return PlainTextResponse("ok")
