"""Input requests of each kind, as servers send them."""

from __future__ import annotations

from typing import Any

from webclient.domain.model import InputRequest, Json, Requester

SCHEMA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "default": 5}},
    "required": ["name"],
}


def request_of(kind: str, params: Json, **more: Any) -> InputRequest:
    """Return a request of `kind` with these parameters."""
    by = Requester(label="it", address="http://127.0.0.1:8000/mcp")
    return InputRequest(user_id="ada", server_id="s1", kind=kind, params=params, asked_by=by, **more)


def form(schema: Any = SCHEMA, message: str = "Your name?") -> InputRequest:
    """Return a request for a form."""
    return request_of("form", {"mode": "form", "message": message, "requestedSchema": schema})


def link(url: Any, **more: Any) -> InputRequest:
    """Return a request to open a link."""
    return request_of("url", {"mode": "url", "message": "Go", "url": url}, **more)
