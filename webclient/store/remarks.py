"""What is said of input requests that stand as they do: a remark on one that is pending, how many one stands for."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import RequestState
from webclient.store.tables import requests


class Remarks:
    """Changes of `requests` that settle nothing, each within one user's rows."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, user_id: str, request_id: str, reason: str) -> bool:
        """Give a pending request this reason, until it is settled; False when it is not pending."""
        remarked = (
            update(requests)
            .where(requests.c.user_id == user_id, requests.c.id == request_id)
            .where(requests.c.state == RequestState.PENDING)
            .values(reason=reason)
            .returning(requests.c.id)
        )
        async with self._engine.begin() as db:
            return (await db.execute(remarked)).one_or_none() is not None

    async def recount(self, user_id: str, request_id: str, count: int) -> None:
        """Let a settled request stand for so many."""
        counted = update(requests).where(requests.c.user_id == user_id, requests.c.id == request_id).values(count=count)
        async with self._engine.begin() as db:
            await db.execute(counted)
