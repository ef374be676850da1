"""Answers as programs give them: the request is read, the answer is judged, and the inbox settles it."""

from __future__ import annotations

import asyncio

from webclient.domain.model import Action, InputRequest, Json, Via
from webclient.inbox import Inbox, check_answer, result_of


async def answer(
    inbox: Inbox, user_id: str, request_id: str, action: Action, content: Json | None = None, *, via: Via = Via.API
) -> InputRequest:
    """Answer a request for its user, and return it as it stands then."""
    request = await inbox._store.of(user_id).requests.get(request_id)
    return await inbox.answer(await check_answer(request, action, content), via=via)


async def ask(inbox: Inbox, request: InputRequest) -> asyncio.Task[Json | None]:
    """Put a request as if it was pushed; return the answer for its server."""
    await inbox.put([request])
    return asyncio.create_task(_answered(inbox, request))


async def _answered(inbox: Inbox, request: InputRequest) -> Json | None:
    with inbox.expecting(request):
        return result_of(await inbox.answer_to(request))
