"""Scopes in words, as far as their names are usual; the name itself is always shown beside them."""

from __future__ import annotations

import re

from webclient.content.visible_text import visible
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _

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
