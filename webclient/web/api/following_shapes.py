"""The types of followed resources in the API's JSON; all else is in `shapes`."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class ResourceUpdateShape(TypedDict):
    """A change that the server reported: of the followed resource, or of one below it (`uri`)."""

    at: str
    uri: str


class FollowedShape(TypedDict):
    """A followed resource with its newest changes, newest first, and the number of those `omitted`.

    `since` is present while the server reports changes, `error` (its words) if it refuses to.
    """

    uri: str
    since: NotRequired[str]
    error: NotRequired[str]
    updates: list[ResourceUpdateShape]
    omitted: int


class FollowedShapes(TypedDict):
    """The followed resources of a server."""

    followed: list[FollowedShape]
