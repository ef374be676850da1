"""The principal of a request: a user in a browser, or a program with a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.domain.model import EVERYONE, Role, SignInKey, User, asker_id_of


class PrincipalKind(StrEnum):
    """Whether a person or a program sends the request."""

    USER = "user"
    PROGRAM = "program"


class Scope(StrEnum):
    """The permissions of a principal on the rows of its user; `admin` is for administrators, and shows no rows."""

    ASK = "ask"
    READ = "read"
    ANSWER = "answer"
    GATEWAY = "gateway"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """The embedding application of a session: its `name` in the embedders file, its `label` for people.

    `origin` is that of the page for which the session is, and `granted` are the scopes that the session has.
    """

    name: str
    label: str
    origin: str
    granted: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The sender of a request, as found by the way called `way`.

    `role` is that of the user. `session_id` is the id of the session, if there is one; it may be the secret of a
    cookie: never log it. `sign_in` names the sign-in whose end ends its streams, and `ends_at` is their
    latest end. `embedding` is for sessions of embedding applications only.
    `token_id` is the id of the token with which a program signed in, if a user has created that token. `may_ask` has
    the ids of other users whom the program may ask. `servers` has the ids of the servers that an agent may call through
    the gateway; an empty set permits all. `agent_id` is the id of an agent that has no such token: an application or
    the OpenID provider has proved who it is. `patience` is how many seconds the agent waits for a result there, and
    `learned_patience` how many it was seen to wait. `passes_on`: what servers ask during its calls is passed on to it.
    """

    user_id: str
    kind: PrincipalKind
    scopes: frozenset[Scope]
    way: str
    role: Role = Role.USER
    name: str | None = None
    session_id: str | None = field(default=None, repr=False)
    sign_in: SignInKey | None = None
    ends_at: datetime | None = None
    embedding: Embedding | None = None
    token_id: str | None = None
    agent_id: str | None = None
    may_ask: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    patience: float | None = None
    learned_patience: float | None = None
    passes_on: bool = False

    @property
    def is_admin(self) -> bool:
        """Whether it may administer: its user is an administrator, and it has the scope as well."""
        return self.role is Role.ADMIN and Scope.ADMIN in self.scopes

    def may_ask_user(self, user_id: str) -> bool:
        """Return whether it may put questions to a user: its own, and those whom an administrator has opened to it."""
        return user_id == self.user_id or not self.may_ask.isdisjoint({EVERYONE, user_id})

    @property
    def asker_id(self) -> str:
        """The id under which it asks questions, and finds their answers."""
        # One application asks, by whichever of its credentials.
        return asker_id_of(self.token_id or (f"embedder-{self.embedding.name}" if self.embedding else self.way))


def scopes_of(user: User) -> frozenset[Scope]:
    """Return all permissions that a user can have, or give to a program."""
    return frozenset(Scope) if user.role is Role.ADMIN else frozenset(Scope) - {Scope.ADMIN}


def user_principal(
    user: User,
    way: str,
    *,
    session_id: str | None = None,
    sign_in: SignInKey | None = None,
    ends_at: datetime | None = None,
) -> Principal:
    """Return the principal of a user in a browser."""
    return Principal(
        user_id=user.id,
        kind=PrincipalKind.USER,
        scopes=scopes_of(user),
        way=way,
        role=user.role,
        name=user.own_name or None,
        session_id=session_id,
        sign_in=sign_in,
        ends_at=ends_at,
    )
