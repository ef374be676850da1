"""Compares JSON exactly: two values are equal only if they are the same on the wire.

Python treats 1, 1.0 and True as equal. A request that is answered without a person must not differ even in that.
"""

from __future__ import annotations

import json
from typing import Any


def json_equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same in every part; the order of keys does not count."""
    try:
        return canonical(one) == canonical(other)
    except RecursionError:
        # Values that are nested too deeply to compare count as different.
        return False


def canonical(value: Any) -> str:
    """Return the JSON text that is the same for equal values. Raises RecursionError if nested too deep."""
    return json.dumps(value, sort_keys=True)
