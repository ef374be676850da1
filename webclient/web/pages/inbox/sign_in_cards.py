"""A wanted sign-in as the inbox shows it: who wants it, where the user signs in, and for what access."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from webclient.content.links import Link, analyse
from webclient.content.visible_text import visible
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Auth, PendingSignIn, Server
from webclient.web.http import render_shared

_KNOWN = {
    "openid": N_("Know who you are"),
    "profile": N_("See your name and profile"),
    "email": N_("See your email address"),
    "phone": N_("See your phone number"),
    "address": N_("See your postal address"),
    "offline_access": N_("Stay signed in while you are away"),
}
"""OpenID Connect Core 1.0, sections 5.4 and 11."""

_VERBS = {
    N_("Read: {subject}"): ("read", "readonly", "view", "get", "list"),
    N_("Change: {subject}"): ("write", "update", "edit", "modify", "readwrite"),
    N_("Create: {subject}"): ("create", "add"),
    N_("Delete: {subject}"): ("delete", "remove"),
    N_("Run: {subject}"): ("execute", "run", "invoke", "call"),
    N_("Full control: {subject}"): ("admin", "manage", "full", "all", "*"),
}

_SENTENCES = {verb: sentence for sentence, verbs in _VERBS.items() for verb in verbs}

_SEPARATOR = re.compile(r"[:./]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeLine:
    """One scope: its name, what it allows in words (or ""), and whether it is asked for in addition."""

    name: str
    words: str
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class SignInCard:
    """A sign-in that waits for its user, and the server that wants it."""

    server: Server
    sign_in: PendingSignIn

    @cached_property
    def link(self) -> Link:
        """The page to sign in at, analysed like a link of the server.

        Without the query, which is ours: it holds the state of the sign-in, and always names another address.
        """
        address = urlsplit(self.sign_in.authorization_url)._replace(query="", fragment="").geturl()
        return analyse(address, server_url=self.server.transport.get("url"))

    @property
    def adds_scopes(self) -> bool:
        """Whether the user has granted a part of the access before."""
        return 0 < len(self.sign_in.new_scopes) < len(self.sign_in.scopes)

    @property
    def scopes(self) -> list[ScopeLine]:
        """The requested access, what is new first."""
        new = set(self.sign_in.new_scopes) if self.adds_scopes else set()
        lines = [ScopeLine(name=each, words=scope_words(each), is_new=each in new) for each in self.sign_in.scopes]
        return sorted(lines, key=lambda line: not line.is_new)

    @property
    def was_opened(self) -> bool:
        """Whether a browser was sent to sign in."""
        return self.sign_in.nonce_hash is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInEntry:
    """A wanted sign-in in the inbox's list, before all questions; without a card it is no longer wanted."""

    server_id: str
    card: SignInCard | None = None

    @property
    def key(self) -> str:
        """The name of the entry; a server wants one sign-in at a time."""
        return f"sign-in-{self.server_id}"

    @property
    def section(self) -> str:
        """The list in which it stands."""
        return "waiting" if self.card else "gone"

    @property
    def place(self) -> str:
        """Its place in the list, as a text that sorts before those of questions."""
        created = int(self.card.sign_in.created_at.timestamp() * 1000) if self.card else 0
        return f"0-{created:011x}"

    def rendered(self, suffix: str) -> str:
        """Return the entry as HTML, as `InboxEntry.rendered`."""
        return render_shared("sign_ins/_entry.html", self.key + suffix, entry=self, suffix=suffix)


def card_of(server: Server, auth: Auth) -> SignInCard | None:
    """Return the card of the sign-in that a server wants, or None."""
    return SignInCard(server=server, sign_in=auth.wanted) if auth.wanted else None


def sign_in_entries(cards: Iterable[SignInCard | None], server_id: str = "") -> list[SignInEntry]:
    """Return the entries of wanted sign-ins in the order of the list; of one server only, unless `server_id` is ""."""
    wanted = [card for card in cards if card and server_id in ("", card.server.id)]
    return sorted((SignInEntry(server_id=card.server.id, card=card) for card in wanted), key=lambda entry: entry.place)


def changed_entries(
    cards: Iterable[SignInCard | None], changed: Collection[str], server_id: str = ""
) -> list[SignInEntry]:
    """Return the entries of the `changed` servers, also of those that want no sign-in now."""
    wanted = sign_in_entries(cards, server_id)
    gone = set(changed) - {entry.server_id for entry in wanted}
    return [*(entry for entry in wanted if entry.server_id in changed), *(SignInEntry(server_id=id_) for id_ in gone)]


def scope_words(scope: str) -> str:
    """Return what a scope allows, or "" if its name is not a usual one."""
    if known := _KNOWN.get(scope):
        return _(known)
    # Often an address, of which the end counts: https://www.googleapis.com/auth/drive.readonly
    name = scope.rstrip("/").rpartition("/")[2] if "://" in scope else scope
    parts = [part for part in _SEPARATOR.split(name) if part]
    for verb, rest in ((parts[-1:], parts[:-1]), (parts[:1], parts[1:])):
        if verb and rest and (sentence := _SENTENCES.get(verb[0].lower())):
            return _(sentence).format(subject=visible(" ".join(rest).replace("_", " "), 60))
    return ""
