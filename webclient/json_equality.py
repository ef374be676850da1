"""Compares JSON to the last part: two values are the same only if nobody could tell them apart on the wire.

Python takes 1, 1.0 and True for equal. A question that is answered without a person must not differ even in that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

BOOKKEEPING = ("_meta", "elicitationId", "mode", "task")
"""Parameters of a question that nobody sees, and that servers set differently each time they ask the same; the mode is
in its kind, and may be left out for a form."""


def json_equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same in every part; the order of keys does not count."""
    try:
        return _canonical(one) == _canonical(other)
    except RecursionError:
        # A value that is nested too deep to be looked at is not known to be the same.
        return False


def digest(kind: str, params: Mapping[str, Any]) -> str:
    """Return a hash that two questions of a kind share only if a person reads and sends the same in both.

    For hints and drafts, which a person checks: it leaves `BOOKKEEPING` out. What is sent without a person asks
    `json_equal` of all parameters.
    """
    shown = {name: value for name, value in params.items() if name not in BOOKKEEPING}
    return sha256(_canonical([kind, shown]).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
