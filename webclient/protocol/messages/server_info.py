"""Makes a server's description of itself valid: a mistake in its decoration must not keep it from connecting."""

from __future__ import annotations

from typing import Any

from mcp.types import SERVER_INFO_META_KEY, Icon, Implementation
from pydantic import BaseModel, ValidationError

from webclient.domain.model import Json

_OPTIONAL = ("title", "description", "websiteUrl", "icons")
"""The fields of `serverInfo` that need not be there."""


def remove_invalid_info(result: Json) -> None:
    """Remove invalid optional fields from the `serverInfo` in a server's first result.

    It is a field of its own (2025-11-25), or in `_meta` (2026-07-28), where the SDK would ignore all of it.
    """
    meta = result.get("_meta")
    for info in (result.get("serverInfo"), meta.get(SERVER_INFO_META_KEY) if isinstance(meta, dict) else None):
        if isinstance(info, dict):
            remove_invalid_icons(info)
            for name in _wrong_fields(info):
                info.pop(name, None)


def remove_invalid_icons(item: Json) -> None:
    """Remove the icons that are not valid MCP."""
    if isinstance(icons := item.get("icons"), list):
        item["icons"] = [icon for icon in icons if _is_valid(Icon, icon)]
    elif icons is not None:
        del item["icons"]


def _wrong_fields(info: Json) -> set[str]:
    try:
        Implementation.model_validate(info)
    except ValidationError as error:
        return {str(each["loc"][0]) for each in error.errors() if each["loc"]} & set(_OPTIONAL)
    return set()


def _is_valid(kind: type[BaseModel], value: Any) -> bool:
    try:
        kind.model_validate(value)
    except ValidationError:
        return False
    return True
