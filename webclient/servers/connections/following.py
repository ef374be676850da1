"""The resources of a server that its user follows: which can be, and how many."""

from __future__ import annotations

from dataclasses import replace

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Server

MOST_FOLLOWED = 20
"""The resources of one server that a user can follow."""

LONGEST_URI = 4096


def notifies_of_updates(capabilities: Json | None) -> bool:
    """Return whether the server declares that it notifies of changes of single resources (MCP, Resources).

    In 2026-07-28 the same capability is about `subscriptions/listen`.
    """
    resources = (capabilities or {}).get("resources")
    return isinstance(resources, dict) and resources.get("subscribe") is True


def following(server: Server, uri: str) -> Server:
    """Return the server with the resource among those that are followed. Raises InvalidInputError."""
    if uri in server.followed:
        return server
    if not uri or len(uri) > LONGEST_URI:
        message = _("The URI of a resource must have 1 to {most} characters.").format(most=LONGEST_URI)
        raise InvalidInputError(message, {"uri": message})
    if len(server.followed) >= MOST_FOLLOWED:
        message = _("You follow {most} resources of this server, which is the limit. Stop following one first.").format(
            most=MOST_FOLLOWED
        )
        raise InvalidInputError(message, {"uri": message})
    return replace(server, followed=(*server.followed, uri))


def not_following(server: Server, uri: str) -> Server:
    """Return the server without the resource among those that are followed."""
    return replace(server, followed=tuple(each for each in server.followed if each != uri))
