"""Writes JSON by RFC 8259 for any value: data from servers may contain NaN, which Python reads and writes."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


def dumps(value: Any) -> str:
    """Return `value` as JSON in ASCII; NaN and infinities become null, as in JavaScript."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        # Rare, so the whole value is walked only then.
        return json.dumps(_finite(value), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
