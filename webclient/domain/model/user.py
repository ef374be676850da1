"""A user, as the way of signing in recognised them, and the browser in which they are signed in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from webclient.domain.model.common import LOCAL_USER, new_id, now


class Role(StrEnum):
    """The permissions of a user beyond their own rows: an administrator sees users, counts and states, no content."""

    USER = "user"
    ADMIN = "admin"


LOCAL_ISSUER = "local"
"""The issuer of the one who has the token."""

NO_SUBJECT = "\x1f"
"""The subject of a user who is known by e-mail address alone begins so: no way recognises one that is not printable."""

HOST_ISSUER = "host:"
"""The issuer of users whom an embedding application vouches for begins with this; the application's name follows."""


def folded_email(email: str) -> str:
    """Return an e-mail address with its Latin letters A to Z in lower case: two are the same if these are equal.

    No other letter changes: Unicode has some, such as the Kelvin sign, whose lower case is a Latin letter.
    """
    return email.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def has_words(query: str, name: str, email: str, subject: str) -> bool:
    """Return whether each word of the query is in a name of a user."""
    known = "" if subject.startswith(NO_SUBJECT) else subject
    names = f"{name} {email} {known}".casefold()
    return all(word in names for word in query.casefold().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whom a way has recognised: `subject` names the person at the `issuer`, for ever; all else may change.

    `email` is one that the issuer vouches for, or empty.
    """

    issuer: str
    subject: str
    name: str = ""
    email: str = ""
    role: Role = Role.USER

    @property
    def names(self) -> frozenset[str]:
        """The names under which a config file may list the person."""
        names = {f"{self.issuer}:{self.subject}"}
        if not self.issuer.startswith(HOST_ISSUER):
            # An embedding application chooses its subjects freely, so they must not equal those of the company.
            names |= {self.subject, self.email, folded_email(self.email)} - {""}
        return frozenset(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Person):
    """A person with an id of ours, which every row of theirs has. Since `disabled_at` they cannot sign in.

    `seen_at` is about their visits, and `signed_in_at` about the last time that a way recognised them, to the hour. It
    is None for a user whom an administrator has added, and who has not come yet. Since `erasing_at` a command wants the
    user deleted, which the program does when it sees that.
    """

    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=now)
    seen_at: datetime = field(default_factory=now)
    disabled_at: datetime | None = None
    signed_in_at: datetime | None = field(default_factory=now)
    erasing_at: datetime | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether no way has recognised them yet."""
        return self.signed_in_at is None

    @property
    def known_subject(self) -> str:
        """The subject, or an empty text for a user who is awaited by e-mail address."""
        return "" if self.subject.startswith(NO_SUBJECT) else self.subject

    @property
    def shown_name(self) -> str:
        """The name by which an administrator knows the user best."""
        return self.name or self.email or self.subject

    @property
    def own_name(self) -> str:
        """The name that tells the user who they are; empty for the only user of a program, who needs none."""
        return "" if self.issuer == LOCAL_ISSUER and not self.name else self.shown_name

    def lapses_at(self, period: timedelta | None) -> datetime | None:
        """Return the moment from which programs need a new sign-in of the user; None for never."""
        # The user of the token has no sign-in that another system could refuse.
        return (
            None if period is None or self.issuer == LOCAL_ISSUER else (self.signed_in_at or self.created_at) + period
        )


LOCAL_PERSON = Person(issuer=LOCAL_ISSUER, subject=LOCAL_USER, role=Role.ADMIN)
"""The person who has the token; the id is `LOCAL_USER`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A browser as it names itself (`User-Agent`), and the network address from which it comes."""

    user_agent: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A sign-in of a user that goes on, as a list shows it; the `id` says nothing of the secret in the cookie.

    `embedder` names the application in whose frame it is, if it is in one, and `agent` the agent of that application
    if it is one's. `created_at` and `used_at` are None if they
    are not known. `is_own` says whether the request that reads the list came by it.
    """

    id: str
    way: str
    embedder: str
    browser: Browser
    created_at: datetime | None
    used_at: datetime | None
    ends_at: datetime
    is_own: bool = False
    agent: str = ""


class SignInKind(StrEnum):
    """The kinds of sign-ins that are stored: of a browser, of an application's frame, and a program's token."""

    BROWSER = "browser"
    FRAME = "frame"
    TOKEN = "token"  # noqa: S105  (a kind)


AGENT_PREFIX = "agent-"
"""The beginning of the ids of agents for which an embedding application vouches; they are keys of their sessions."""

CLIENT_PREFIX = "client-"
"""The beginning of the ids of agents that have signed in at the OpenID provider by themselves."""


class SignInKey(NamedTuple):
    """The name of a sign-in, which is not its secret; the `kind` is one of `SignInKind`, or of a further way."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """A browser that is signed in as a user until `ends_at`; `way` is the name of the way by which it was signed in.

    `key` names the session and is not its secret.
    """

    key: str
    user: User
    way: str
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSession:
    """Until `ends_at`, `user` has these `scopes`; `embedder`, `subject` and `host_session` are the embedder's names.

    `key` names the session and is not its secret.
    """

    key: str
    user: User
    embedder: str
    subject: str
    origin: str
    scopes: frozenset[str]
    ends_at: datetime
    host_session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedIdentity:
    """The `id_token` of the last sign-in of a user, until `ends_at`; each renewal by `refresh_token` is a `version`.

    The `issuer` has signed it for its `subject`. `provider_session` is its own name for the session, by which it can
    end it.
    """

    user_id: str
    issuer: str
    subject: str
    id_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    ends_at: datetime
    provider_session: str | None = None
    version: int = 0
