"""What people typed and have not sent: one draft for each user and pending request. Settling a request deletes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import RequestState, now
from webclient.store.tables import drafts, requests

Texts = Mapping[str, Sequence[str]]


class Drafts:
    """Queries over `drafts`, each within one user's rows."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def find(self, user_id: str, request_ids: Collection[str]) -> dict[str, Texts]:
        """Return the user's drafts for these requests, by request: the texts, by control."""
        if not request_ids:
            return {}
        rows = select(drafts.c.request_id, drafts.c.texts).where(
            drafts.c.user_id == user_id, drafts.c.request_id.in_(request_ids)
        )
        async with self._engine.connect() as db:
            return {row.request_id: row.texts for row in await db.execute(rows)}

    async def save(self, user_id: str, request_id: str, texts: Texts) -> bool:
        """Keep `texts` in place of the earlier draft, none if there are none; False when nothing is pending there."""
        # This changes nothing, but holds the row until the end: whoever settles it comes before, and then it does
        # not fit, or after, and then deletes what is kept here.
        held = (
            update(requests)
            .where(requests.c.user_id == user_id, requests.c.id == request_id, requests.c.state == RequestState.PENDING)
            .values(reason=requests.c.reason)
        )
        earlier = delete(drafts).where(drafts.c.user_id == user_id, drafts.c.request_id == request_id)
        row = {"user_id": user_id, "request_id": request_id, "texts": texts, "updated_at": now()}
        async with self._engine.begin() as db:
            if (await db.execute(held)).rowcount == 0:
                return False
            await db.execute(earlier)
            if texts:
                await db.execute(insert(drafts).values(row))
        return True
