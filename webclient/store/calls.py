"""The calls that users started, from their start to their result."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, Select, func, insert, literal, select, tuple_, update

from webclient.errors import NotFoundError
from webclient.i18n import gettext as _
from webclient.model import Call, CallKind, CallState, Json, Via, now
from webclient.reasons import words_of
from webclient.store.reasons import call_error, error_json
from webclient.store.search import search_text_of
from webclient.store.secrets import erase_answer_secrets, scrub, split_secrets
from webclient.store.tables import Moment, calls
from webclient.store.user_rows import UserRows

OPEN = (CallState.RUNNING, CallState.INPUT_REQUIRED)

_NOT_FIELDS = {"search_text", "secrets", "owner", "generation"}


class UserCalls(UserRows):
    """The calls of one user."""

    async def find(
        self,
        *,
        state: str | None = None,
        server_id: str | None = None,
        before: Call | None = None,
        limit: int = 200,
        with_results: bool = False,
    ) -> list[Call]:
        """Return the newest calls that match, newest first: `limit` at most, only those `before` a call.

        A result may have megabytes, so they are left out, except `with_results`.
        """
        fitting = select_calls(with_results=with_results).where(calls.c.user_id == self._user_id)
        if state is not None:
            fitting = fitting.where(calls.c.state == state)
        if server_id is not None:
            fitting = fitting.where(calls.c.server_id == server_id)
        if before is not None:
            place = tuple_(literal(before.created_at, Moment), literal(before.id))
            fitting = fitting.where(tuple_(calls.c.created_at, calls.c.id) < place)
        async with self._engine.connect() as db:
            found = await db.execute(fitting.order_by(calls.c.created_at.desc(), calls.c.id.desc()).limit(limit))
            return [call_of(row) for row in found]

    async def open_ids(self) -> list[str]:
        """Return the ids of the user's calls that have not ended, oldest first."""
        oldest = select(calls.c.id).where(calls.c.user_id == self._user_id, calls.c.state.in_(OPEN))
        async with self._engine.connect() as db:
            return list((await db.execute(oldest.order_by(calls.c.created_at))).scalars())

    async def count_open(self, server_id: str) -> int:
        """Return how many of the user's calls of this server have not ended."""
        here = select(func.count()).where(calls.c.user_id == self._user_id, calls.c.server_id == server_id)
        async with self._engine.connect() as db:
            return (await db.execute(here.where(calls.c.state.in_(OPEN)))).scalar_one()

    async def get(self, call_id: str) -> Call:
        """Return one call; raises NotFoundError, also for a call of another user."""
        row = select(calls).where(calls.c.user_id == self._user_id, calls.c.id == call_id)
        async with self._engine.connect() as db:
            found = (await db.execute(row)).one_or_none()
        if found is None:
            raise NotFoundError(_("There is no call {id!r}.").format(id=call_id))
        return call_of(found)

    async def by_ids(self, call_ids: Collection[str | None]) -> dict[str, Call]:
        """Return the calls with these ids, by id and without their results; None is ignored."""
        wanted = [call_id for call_id in call_ids if call_id is not None]
        if not wanted:
            return {}
        rows = select_calls(with_results=False).where(calls.c.user_id == self._user_id, calls.c.id.in_(wanted))
        async with self._engine.connect() as db:
            return {row.id: call_of(row) for row in await db.execute(rows)}

    async def add(self, call: Call) -> None:
        """Add a new call."""
        self._own(call.user_id)
        error = call.error and error_json(call.error)
        row = asdict(call) | self._node.columns
        row |= {"error": error, "search_text": search_text_of(call.server_label, call.name)}
        if call.withheld:
            row["arguments"], row["secrets"] = split_secrets(call.arguments or {}, call.withheld)
        async with self._engine.begin() as db:
            await db.execute(insert(calls).values(row))

    async def change(self, call_id: str, **values: Any) -> bool:
        """Set columns of an open call; False if it has ended, and then nothing is changed."""
        here = calls.c.user_id == self._user_id, calls.c.id == call_id
        changed = update(calls).where(*here, calls.c.state.in_(OPEN)).values(updated_at=now(), **_columns(values))
        ends = CallState(values.get("state", CallState.RUNNING)).ended
        if ends:
            changed = changed.values(checkpoint=None)
        erased = False
        async with self._engine.begin() as db:
            has_changed = (await db.execute(changed)).rowcount == 1
            if has_changed and ends:
                secret = update(calls).where(*here, calls.c.secrets.is_not(None)).values(secrets=None)
                erased = (await db.execute(secret)).rowcount == 1
                erased |= await erase_answer_secrets(db, self._user_id, call_id)
        if erased:
            await scrub(self._engine)
        return has_changed


def _columns(values: Json) -> Json:
    """Return the columns for new values of a call; what a search finds of its error joins its words."""
    error = values.get("error")
    if error is None:
        return values
    words = "\n" + search_text_of(*words_of(error.reason))
    return {**values, "error": error_json(error), "search_text": calls.c.search_text + words}


def select_calls(*, with_results: bool) -> Select[Any]:
    """Return the query whose rows `call_of` reads; without results, `result` is None."""
    return select(*(column for column in calls.c if with_results or column is not calls.c.result))


def call_of(row: Row[Any]) -> Call:
    """Return the call of a row, with its secrets while they are stored."""
    values = {name: value for name, value in row._mapping.items() if name not in _NOT_FIELDS}
    values["withheld"] = tuple(row.withheld or ())
    values["error"] = row.error and call_error(row.error)
    if row.secrets:
        values["arguments"] = {**row.arguments, **row.secrets}
    return Call(**{**values, "kind": CallKind(row.kind), "state": CallState(row.state), "via": Via(row.via)})
