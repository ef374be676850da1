"""A session over HTTP that goes on without its connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from webclient.domain.model.common import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSession:
    """A session of 2025-11-25 that a later connection can resume, also in the next process.

    `url` is the address of its server, `session_id` the server's secret name for it, `greeting` the result of
    `initialize`, `era_reason` why it speaks its era. `resumed` counts how often it was resumed.

    What was open in it when its connection ended: `waits` are the JSON-RPC ids of requests whose result the server
    holds back, and `requests` the requests `{id, method, params}` of the server about tasks.
    """

    user_id: str
    server_id: str
    url: str
    session_id: str = field(repr=False)
    greeting: Json
    era_reason: str
    resumed: int = 0
    waits: list[str | int] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
