"""The base of the API's JSON: no value of it is absent by oversight."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from webclient.domain.model import (
    Auth,
    Call,
    CallError,
    CallKind,
    ConnectionFault,
    Era,
    Reason,
    ReasonCode,
    Server,
    ServerState,
    ServerStatus,
)
from webclient.web.api.call_shapes import call_shape
from webclient.web.api.server_shapes import server_shape
from webclient.web.api.shapes import Filled, Maybe, Shape

CALL = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
SERVER = Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"})
REASON = Reason.of(ReasonCode.SERVER_DISCONNECTED)


class InnerShape(Shape):
    """A shape in another one."""

    name: str
    note: Maybe[str] = None


class OuterShape(Shape):
    """A shape with another one."""

    id: str
    note: Filled[str] = None
    inner: Maybe[InnerShape] = None


@dataclass(frozen=True, kw_only=True)
class Nameless:
    """An object without the `note` of its shape."""

    name: str = "Ada"


@dataclass(frozen=True, kw_only=True)
class Inner(Nameless):
    """An object with all values of its shape."""

    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outer:
    """An object with another one."""

    id: str = "1"
    note: str = ""
    inner: Nameless | None = None


def test_a_shape_has_what_is_computed_and_what_is_read() -> None:
    shape = OuterShape.of(Outer(inner=Inner(note="read")), note="computed")
    assert shape.as_json() == {"id": "1", "note": "computed", "inner": {"name": "Ada", "note": "read"}}
    assert OuterShape.of(Outer(inner=Inner())).as_json() == {"id": "1", "inner": {"name": "Ada"}}


def test_a_value_that_an_object_lacks_is_an_error() -> None:
    with pytest.raises(AttributeError, match="note"):
        InnerShape.of(Nameless())
    assert InnerShape.of(Nameless(), note=None).as_json() == {"name": "Ada"}


def test_a_value_that_an_inner_object_lacks_is_an_error() -> None:
    with pytest.raises(AttributeError, match="note"):
        OuterShape.of(Outer(inner=Nameless()))


def test_the_error_of_a_call_has_the_servers_words_besides_ours() -> None:
    error = CallError(code=-32001, message="no", data={"n": 1}, reconnect_with=Era.PUSH, gave_up=True)
    plain = {"message": "no", "code": -32001, "data": {"n": 1}, "reconnect_with": Era.PUSH, "gave_up": True}
    assert call_shape(replace(CALL, error=error)).as_json()["error"] == plain

    found = call_shape(replace(CALL, error=replace(error, reason=REASON, ran=True))).as_json()["error"]
    assert found.pop("message") not in ("", "no")
    assert found == {key: plain[key] for key in plain if key != "message"} | {
        "reason_code": REASON.code,
        "said": "no",
        "ran": True,
    }


def test_the_fault_of_a_server_has_its_code_and_status() -> None:
    fault = ConnectionFault(reason=REASON, code=-32600, http_status=405, said="go away")
    status = ServerStatus(state=ServerState.ERROR, error=fault)
    found = server_shape(SERVER, status, Auth()).as_json()["error"]
    assert "go away" in found.pop("message")
    assert found == {"reason_code": REASON.code, "code": -32600, "http_status": 405}
