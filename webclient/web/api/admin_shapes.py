"""The types of the API's JSON for administrators: users, their sign-ins and servers, and the audit trail."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from webclient.domain.model import AuditAction, Role, ServerState
from webclient.web.api.shapes import Verbatim


class AccountShape(TypedDict):
    """A user, with counts of what is theirs, and nothing of its content.

    `issuer` and `subject` are the names that the user's way of signing in has for them. A user who was added by `email`
    has no subject until the first sign-in; `awaited` says that there was none yet. `here`: the user has something open,
    or had a short while ago.
    """

    id: str
    issuer: str
    subject: NotRequired[str]
    name: NotRequired[str]
    email: NotRequired[str]
    role: Role
    state: Literal["enabled", "disabled"]
    awaited: bool
    here: bool
    servers: int
    open_calls: int
    waiting_requests: int
    created_at: str
    seen_at: NotRequired[str]
    signed_in_at: NotRequired[str]
    disabled_at: NotRequired[str]


class AccountsShape(TypedDict):
    """A page of users in the order in which they first came; `next` is the cursor of the page with later ones."""

    users: list[AccountShape]
    next: NotRequired[str]


class SignInShape(TypedDict):
    """A browser or frame in which a user is signed in; `own` is the one by which this request came."""

    id: str
    way: str
    embedder: NotRequired[str]
    user_agent: NotRequired[str]
    address: NotRequired[str]
    own: bool
    created_at: NotRequired[str]
    used_at: NotRequired[str]
    ends_at: str


class OpenSignInsShape(TypedDict):
    """The sign-ins of a user that go on, the last used first."""

    sign_ins: list[SignInShape]


class EndedSignInsShape(TypedDict):
    """How many sign-ins were ended."""

    ended: int


class UserServerShape(TypedDict):
    """A server of a user: its label, its address without what may be secret, and its state.

    `configured`: it is one of the config file, and comes back with the next start after it was removed.
    """

    id: str
    label: str
    type: str
    address: NotRequired[str]
    configured: bool
    state: ServerState


class UserServersShape(TypedDict):
    """The servers of a user, oldest first."""

    servers: list[UserServerShape]


class AuditedUserShape(TypedDict):
    """The user of an entry, as the last sign-in named them."""

    issuer: str
    subject: NotRequired[str]
    name: NotRequired[str]
    email: NotRequired[str]


class AuditEntryShape(TypedDict):
    """An entry of the audit trail: who did what to which `object`, when, from which address, by which credential.

    Without `user_id`, no user was signed in, or it was a command (`way` is `command line`). `object` is the ID of a
    user, server, token or other row. A refused sign-in has the reason as `outcome`, and as `object` how often it was;
    its `details` name whom the provider has proved. No `details` are secret. `user` is absent if
    the user was deleted.
    """

    id: str
    at: str
    action: AuditAction
    user_id: NotRequired[str]
    user: NotRequired[AuditedUserShape]
    way: NotRequired[str]
    address: NotRequired[str]
    credential: NotRequired[str]
    object: NotRequired[str]
    outcome: NotRequired[str]
    details: NotRequired[Verbatim]


class AuditShape(TypedDict):
    """A page of the audit trail.

    Newest first, `next` is the cursor (`before`) of the page with older entries, and absent on the last one. With
    `after`, oldest first, it is always there: pass it as `after` for what comes later.
    """

    entries: list[AuditEntryShape]
    next: NotRequired[str]
