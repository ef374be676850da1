"""The server's requests that wait for an answer."""

from __future__ import annotations

from mcp.types import JSONRPCRequest

from webclient.domain.model import Json, ServerRequest
from webclient.protocol.session.open_requests import MOST_REMEMBERED, OpenRequests


def request(**params: object) -> ServerRequest:
    return ServerRequest(method="elicitation/create", params=params)


def message(request_id: int | str, params: Json, method: str = "elicitation/create") -> JSONRPCRequest:
    return JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params)


def test_the_older_of_two_requests_with_one_id_is_answered() -> None:
    opened = OpenRequests()
    first, second = (opened.add(1, request(message=each)) for each in "ab")
    assert [opened.pop(1), opened.pop(1), opened.pop(1)] == [first, second, None]
    assert (len(opened), opened.requests) == (0, [])


def test_a_request_is_repeated_if_id_and_content_are_the_same() -> None:
    opened = OpenRequests()
    opened.add(1, request(message="a"))
    for _open_then_answered in range(2):
        assert opened.is_repeated(message(1, {"message": "a"}))
        for other in (
            message(1, {"message": "b"}),
            message("1", {"message": "a"}),
            message(1, {"message": "a"}, "ping"),
        ):
            assert not opened.is_repeated(other)
        opened.pop(1)


def test_only_so_many_answered_requests_are_remembered() -> None:
    opened = OpenRequests()
    for number in range(MOST_REMEMBERED + 1):
        opened.add(number, request())
        opened.pop(number)
    assert not opened.is_repeated(message(0, {}))
    assert opened.is_repeated(message(1, {}))
