"""The actions of the guided demo: run a scene, resume it, stop it, decline a flood, and return to the beginning.

A scene runs once at a time, and goes on while others run. Only attacks end each other: their server asks during no
call in particular, so that each of its questions is certainly part of the attack that the page shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress

from webclient.auth import Scope, new_token
from webclient.demo import HOSTILE, run_agent
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, CallKind, CallState, Reason, ReasonCode, RequestState, Server, Via
from webclient.services import Services
from webclient.support import background
from webclient.web.pages.guide.progress import GuideProgress
from webclient.web.pages.guide.scene import Scene
from webclient.web.pages.guide.scenes import all_scenes

FIRST_CARD = 0.7
"""Seconds that the page of a scene waits for its first question, to show it at once."""

STEP = 0.05
"""Seconds between two looks whether an agent has called."""

MOST_CHANGES = 3
"""The changes of state that a call which asks nothing has at most."""


AGENT_PATIENCE = 6.0
"""Seconds for which the demo's agent waits for a result."""

AGENT_START = 20.0
"""Seconds after which an agent that has not called is taken not to come."""


async def run_scene(services: Services, user_id: str, progress: GuideProgress, scene: Scene, origin: str) -> Call:
    """End what the scene left open, and start it; agents reach this program at `origin`.

    Raises ConflictError if its server cannot be reached.
    """
    async with progress.lock:
        await _end_calls(services, user_id, progress, _in_its_way(scene))
        server = await _ready_server(services, user_id, scene)
        if scene.undo_tool and scene.key in progress.calls:
            await _undo(services, server, scene.undo_tool)
        call = await (
            _call_of_agent(services, server, scene, origin) if scene.agent else _call(services, server, scene)
        )
        progress.scene = scene.key
        progress.calls[scene.key] = call.id
    await services.calls.first_change(call, FIRST_CARD)
    return call


async def _call(services: Services, server: Server, scene: Scene) -> Call:
    return await services.calls.start(
        server.user_id, server, kind=CallKind.TOOL, name=scene.tool, arguments=dict(scene.arguments), via=Via.PAGE
    )


async def _call_of_agent(services: Services, server: Server, scene: Scene, origin: str) -> Call:
    """Start the agent of a scene with a token of its own, and return the call that it makes."""
    token, secret = new_token(
        server.user_id, scene.agent, [Scope.GATEWAY], servers=[server.id], patience=AGENT_PATIENCE
    )
    await services.store.of(server.user_id).tokens.add(token, secret)
    job = run_agent(f"{origin}/mcp/{server.id}", secret, scene.tool, scene.arguments)
    background.start(_until_done(services, server.user_id, token.id, job), name="agent of the demo")
    for _n in range(round(AGENT_START / STEP)):
        for call in services.calls.running_of_agents(server.user_id):
            if call.agent and call.agent.token_id == token.id:
                return call
        await asyncio.sleep(STEP)
    raise ConflictError(_("The agent of the demo did not call its server."))


async def _until_done(services: Services, user_id: str, token_id: str, job: Awaitable[None]) -> None:
    """Wait for the agent, and revoke its token."""
    try:
        await job
    finally:
        with suppress(NotFoundError):
            await services.accounts.revoke_token(user_id, token_id)


async def resume_scenes(services: Services, user_id: str, progress: GuideProgress) -> None:
    """Find the scenes whose calls outlived a restart of this program, once."""
    async with progress.lock:
        if progress.resumed:
            return
        progress.resumed = True
        store = services.store.of(user_id)
        names = {server.id: server.name for server in await store.servers.all()}
        for state in (CallState.RUNNING, CallState.INPUT_REQUIRED):
            for call in reversed(await store.calls.find(state=state)):
                if scene := next((each for each in all_scenes() if _runs(each, call, names.get(call.server_id))), None):
                    progress.scene = scene.key
                    progress.calls[scene.key] = call.id


def _runs(scene: Scene, call: Call, server: str | None) -> bool:
    wanted = (scene.server, scene.tool, dict(scene.arguments))
    return call.via is (Via.AGENT if scene.agent else Via.PAGE) and (server, call.name, call.arguments or {}) == wanted


async def stop_scene(services: Services, user_id: str, progress: GuideProgress, scene: Scene) -> None:
    """Stop a scene for the person: its call and its questions."""
    async with progress.lock:
        await _end_calls(services, user_id, progress, [scene], by_person=True)


async def decline_all(services: Services, user_id: str, scene: Scene) -> None:
    """Decline all pending questions of the scene's server."""
    server = await _server(services, user_id, scene)
    await services.inbox.decline_all(user_id, server.id, via=Via.PAGE)


async def reset(services: Services, user_id: str, progress: GuideProgress) -> None:
    """Return to the beginning: no scene runs, nothing waits, nothing was seen, and the servers are as at first."""
    async with progress.lock:
        await _end_calls(services, user_id, progress, all_scenes())
        for scene in _that_left_something(progress):
            await _undo(services, await _ready_server(services, user_id, scene), scene.undo_tool)
        if attacks := [scene for scene in all_scenes() if scene.attack and scene.key in progress.calls]:
            await _restart(services, await _server(services, user_id, attacks[0]))
        progress.clear()


async def _restart(services: Services, server: Server) -> None:
    """Reconnect the hostile server in a new process, so that nothing of it comes later."""
    if server.muted_at:
        server = await services.servers.unmute(server)
    await services.connections.disconnect(server)
    await services.admission.forget(server)
    services.connections.connect(server)


def _that_left_something(progress: GuideProgress) -> list[Scene]:
    return [scene for scene in all_scenes() if scene.undo_tool and scene.key in progress.calls]


def _in_its_way(scene: Scene) -> Sequence[Scene]:
    return [each for each in all_scenes() if each.attack] if scene.attack else [scene]


async def _end_calls(
    services: Services, user_id: str, progress: GuideProgress, scenes: Iterable[Scene], *, by_person: bool = False
) -> None:
    """End the calls of these scenes, and what is left of their questions."""
    store = services.store.of(user_id)
    reason = ReasonCode.CALL_CANCELLED if by_person else ReasonCode.ENDED_BY_DEMO
    given_up = ReasonCode.PERSON_GAVE_UP if by_person else reason
    ids = [progress.calls[scene.key] for scene in scenes if scene.key in progress.calls]
    for call in (await store.calls.by_ids(ids)).values():
        if not call.state.ended:
            with suppress(ConflictError):
                await services.calls.cancel(call, reason)
        # A flood is settled one by one; what is left of it goes in one write.
        left = await store.requests.find(call_id=call.id, state=RequestState.PENDING)
        await services.inbox.settle_all(left, RequestState.CANCELLED, Reason(reason))
        for request in await store.requests.find(call_id=call.id, state=RequestState.WAITING):
            # An opened link outlives its call, and would wait beside the one of the next run.
            with suppress(ConflictError):
                await services.inbox.links.give_up(
                    user_id, request.id, via=Via.PAGE if by_person else None, reason=given_up
                )


async def _ready_server(services: Services, user_id: str, scene: Scene) -> Server:
    server = await _server(services, user_id, scene)
    if server.muted_at:
        server = await services.servers.unmute(server)
    if scene.server == HOSTILE:
        # Each attack meets the limits as if it were the first.
        await services.admission.forget(server)
    services.connections.connect(server)
    return server


async def _server(services: Services, user_id: str, scene: Scene) -> Server:
    for server in await services.store.of(user_id).servers.all():
        if server.name == scene.server:
            return server
    raise NotFoundError(_("The server of this scene was removed. Restart the demo to get it back."))


async def _undo(services: Services, server: Server, tool: str) -> None:
    call = await services.calls.start(server.user_id, server, kind=CallKind.TOOL, name=tool, via=Via.PAGE)
    for _n in range(MOST_CHANGES):
        if (await services.store.of(server.user_id).calls.get(call.id)).state.ended:
            return
        await services.calls.first_change(call, FIRST_CARD)
