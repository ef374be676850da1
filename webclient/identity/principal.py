"""The principal of a request: a user in a browser, or a program with a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class PrincipalKind(StrEnum):
    """Whether a person or a program sends the request."""

    USER = "user"
    PROGRAM = "program"


class Scope(StrEnum):
    """The permissions of a principal on the rows of its user."""

    ASK = "ask"
    READ = "read"
    ANSWER = "answer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The sender of a request, as found by the way called `way`.

    `session_id` names the sign-in that can end, if there is one. It may be the secret of a cookie: never log it.
    """

    user_id: str
    kind: PrincipalKind
    scopes: frozenset[Scope]
    way: str
    name: str | None = None
    session_id: str | None = field(default=None, repr=False)
