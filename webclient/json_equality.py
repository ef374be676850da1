"""Compares JSON exactly: two values are equal only if they are the same on the wire.

Python treats 1, 1.0 and True as equal. A request that is answered without a person must not differ even in that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

BOOKKEEPING = ("_meta", "elicitationId", "mode", "task")
"""Parameters that no person sees and that servers change when they ask the same again; `mode` is part of the kind, and
may be left out for a form."""


def json_equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same in every part; the order of keys does not count."""
    try:
        return _canonical(one) == _canonical(other)
    except RecursionError:
        # Values that are nested too deeply to compare count as different.
        return False


def digest(kind: str, params: Mapping[str, Any]) -> str:
    """Return a hash that is equal for requests in which a person sees the same.

    For hints and drafts, which a person checks: it leaves `BOOKKEEPING` out. Answers without a person require
    `json_equal` for all parameters.
    """
    shown = {name: value for name, value in params.items() if name not in BOOKKEEPING}
    return sha256(_canonical([kind, shown]).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
