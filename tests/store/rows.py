"""Rows for the tests of the store and of what stands on it."""

from __future__ import annotations

from dataclasses import fields, replace

from sqlalchemy import Connection

from webclient.domain.model import InputRequest, ListedRequest, Requester, Stage
from webclient.inbox import kind_of

SECRET_KEYS = "k1:" + "QUJD" * 10 + "QUI="
"""A key for stores that have no folder."""

BY = Requester(label="travel", address="http://127.0.0.1/mcp", claims="Bank")


def a_request(**fields: object) -> InputRequest:
    """Return a pending form of Ada's server s1, with these fields changed."""
    values: dict[str, object] = {
        "user_id": "ada",
        "server_id": "s1",
        "kind": "form",
        "params": {"message": "née ☃", "requestedSchema": {"type": "object", "x-extra": [1, None]}},
        "asked_by": BY,
    }
    request = InputRequest(**(values | fields))  # type: ignore[arg-type]
    return replace(request, digest=kind_of(request).digest(request.params))


# ruff: noqa: S608  (nothing in these statements is from outside)
def fill(db: Connection, count: int) -> None:
    """Add so many requests and calls of two users, most of them over."""
    moment = "strftime('%Y-%m-%d %H:%M:%f', 1.7e9 + n * 60, 'unixepoch') || '000'"
    numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
    rows = {
        "calls": f"""(id, user_id, server_id, server_label, kind, name, state, round, via, created_at, updated_at,
            search_text, owner, generation)
            {numbers} SELECT 'c' || n, iif(n % 11, 'ada', 'bob'), 's' || (n % 7), 'travel', 'tool', 'book',
            iif(n % 400, 'done', 'running'), 1, 'page', {moment}, {moment}, 'travel book', 'local', 1 FROM numbers""",
        "requests": f"""(id, user_id, server_id, call_id, kind, origin, params, asked_by, position, total, state, count,
            created_at, settled_at, digest, search_text, owner, generation)
            {numbers} SELECT 'r' || n, iif(n % 11, 'ada', 'bob'), 's' || (n % 7), 'c' || n, 'form', 'pushed',
            '{{"message": "May I?"}}', '{{"label": "travel", "address": "http://127.0.0.1", "kind": "server"}}',
            1, 1, iif(n % 400, 'accepted', 'pending'), 1, {moment},
            iif(n % 400, {moment}, NULL), hex(n % 50), 'travel book', 'local', 1 FROM numbers""",
    }
    for table, values in rows.items():
        db.exec_driver_sql(f"INSERT INTO {table} {values}")


def listed(request: InputRequest) -> ListedRequest:
    """Return the request as lists show it."""
    same = {field.name for field in fields(ListedRequest)} & {field.name for field in fields(InputRequest)}
    sampling = request.sampling
    return ListedRequest(
        **{name: getattr(request, name) for name in same},
        call_name=request.during.name if request.during else None,
        words=request.words,
        reason_code=request.reason_code,
        size=0,
        has_draft=False,
        stage=sampling.stage if sampling else Stage.PENDING,
        started_at=str(sampling.started_at) if sampling else None,
    )
