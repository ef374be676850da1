"""The types of the API's JSON for programs: who asks, and the tokens."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from webclient.identity import Scope
from webclient.model import RequesterKind


class RequesterShape(TypedDict):
    """The server or program that asks; a program asks through this API, with a token.

    `label` and `address` are known; `claims` is what it says of itself. `token_id` is the token of a program,
    and `embedder` the name of an embedding application that asks itself.
    """

    kind: RequesterKind
    label: str
    address: NotRequired[str]
    claims: NotRequired[str]
    protocol_version: NotRequired[str]
    token_id: NotRequired[str]
    embedder: NotRequired[str]


class TokenShape(TypedDict):
    """A token of a program. `secret` is the token itself, and only in the answer to its making.

    `hint` are the last characters of it. `muted`: questions of the program are refused.
    """

    id: str
    user_id: str
    label: str
    scopes: list[Scope]
    hint: str
    muted: bool
    created_at: str
    used_at: NotRequired[str]
    revoked_at: NotRequired[str]
    secret: NotRequired[str]


class TokensShape(TypedDict):
    """All tokens of a user, newest first, revoked ones as well."""

    tokens: list[TokenShape]
