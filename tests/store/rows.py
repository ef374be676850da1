"""Rows for the tests of the store and of what stands on it."""

from __future__ import annotations

from webclient.model import AskedBy, InputRequest

BY = AskedBy(label="travel", address="http://127.0.0.1/mcp", claims="Bank")


def a_request(**fields: object) -> InputRequest:
    """Return a pending form of Ada's server s1, with these fields changed."""
    values: dict[str, object] = {
        "user_id": "ada",
        "server_id": "s1",
        "kind": "form",
        "params": {"message": "née ☃", "requestedSchema": {"type": "object", "x-extra": [1, None]}},
        "asked_by": BY,
    }
    return InputRequest(**(values | fields))  # type: ignore[arg-type]
