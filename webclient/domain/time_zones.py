"""Names of time zones from outside, the same on every system."""

from __future__ import annotations

import re
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")


def read_zone(name: str) -> tzinfo | None:
    """Return the time zone with this name in the IANA database, or None.

    Old names such as Asia/Calcutta, which browsers send, count as well: the package tzdata has the names that the
    system lacks.
    """
    if name == "UTC":
        return UTC
    # Safe: a file below the folders of zones is read at most. The pattern has no dots, so a name cannot leave them.
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # ZoneInfoNotFoundError is a KeyError; a folder is an OSError, a file of another kind a ValueError.
        return None
