"""JSON as RFC 8259 has it, whatever is in the value: what servers send may hold NaN, which Python reads and writes."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


def dumps(value: Any) -> str:
    """Return `value` as JSON in ASCII; NaN and infinities become null, as JavaScript and our other answers have it."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        # Rare, so only then is the whole value walked through.
        return json.dumps(_finite(value), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
