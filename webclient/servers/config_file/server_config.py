"""A server as the config file or the command line names it."""

from __future__ import annotations

from dataclasses import dataclass, field

from webclient.content.masking import public_transport
from webclient.domain.model import Era, Json, Root


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """How a configured server is reached, and what of that may be seen.

    `transport` is as in `model.Server` and holds secrets; `shown` is what pages, API and database get, by default the
    same with what may be a secret masked. `oauth` are the settings of the sign-in, not checked yet. `roots` are the
    folders to share, None if the entry has none. `enabled` says whether it is connected at start. `users` are the names
    of the users who get it (`model.Person.names`); None for everybody. `error` is a sentence that says why the entry
    cannot be used; then `transport` is empty. `unused` are the keys of the entry that have no effect here, such as
    `sandbox` or `oauth.callbackPort`.
    """

    name: str
    label: str
    transport: Json = field(repr=False)
    shown: Json = field(default_factory=dict)
    era: Era = Era.AUTO
    oauth: Json = field(default_factory=dict, repr=False)
    roots: tuple[Root, ...] | None = None
    enabled: bool = True
    users: frozenset[str] | None = None
    error: str | None = None
    unused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.shown:
            object.__setattr__(self, "shown", public_transport(self.transport))
