"""The types of the API's JSON for programs: who asks, and the tokens."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from webclient.auth import Scope
from webclient.domain.model import RequesterKind, WebhookState


class RequesterShape(TypedDict):
    """The server or program that asks; a program asks through this API, with a token.

    `label` and `address` are known; `claims` is what it says of itself. `token_id` is the token of a program,
    and `embedder` the name of an embedding application that asks itself. `made_by` is the name of the administrator who
    made the token, if that is another user.
    """

    kind: RequesterKind
    label: str
    address: NotRequired[str]
    claims: NotRequired[str]
    protocol_version: NotRequired[str]
    token_id: NotRequired[str]
    embedder: NotRequired[str]
    made_by: NotRequired[str]


class WebhookShape(TypedDict):
    """How far the webhook of a question came; only its program sees it.

    `failure` is the HTTP status of the receiver or a code, `next_at` when the webhook is sent again.
    """

    state: WebhookState
    failures: int
    failure: NotRequired[str]
    next_at: NotRequired[str]
    ended_at: NotRequired[str]


class TokenShape(TypedDict):
    """A token of a program. `secret` is the token itself, and only in the answer to its making.

    `hint` are the last characters of it. `muted`: questions of the program are refused. `may_ask` are the other users
    whom the program may ask.
    """

    id: str
    user_id: str
    label: str
    scopes: list[Scope]
    hint: str
    muted: bool
    may_ask: NotRequired[Literal["everyone"] | list[str]]
    created_at: str
    used_at: NotRequired[str]
    revoked_at: NotRequired[str]
    secret: NotRequired[str]


class TokensShape(TypedDict):
    """All tokens of a user, newest first, revoked ones as well."""

    tokens: list[TokenShape]
