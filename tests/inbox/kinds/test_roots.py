"""Roots: a local server gets the folders that can be read, a remote one the whole list, and a reason is recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.inbox.kinds.requests import request_of
from tests.inbox.test_policy import a_server
from webclient.domain.model import Json, ReasonCode, RequestState, Root
from webclient.inbox.kinds import ROOTS


@pytest.mark.parametrize(
    ("transport", "names"),
    [({"type": "stdio", "command": "it"}, ["here"]), ({"type": "http", "url": "http://it"}, ["here", "gone"])],
)
def test_a_local_server_gets_the_folders_that_are_there(tmp_path: Path, transport: Json, names: list[str]) -> None:
    roots = (Root(uri=tmp_path.as_uri(), name="here"), Root(uri=(tmp_path / "gone").as_uri(), name="gone"))
    server = replace(a_server(roots=roots), transport=transport)
    answered = ROOTS.answered(request_of("roots", {}), server)
    assert [each["name"] for each in ROOTS.result(answered)["roots"]] == names
    assert (answered.state, answered.reason_code) == (RequestState.ACCEPTED, ReasonCode.ROOTS_SHARED)
    assert answered.settled_at


def test_a_list_allows_the_request_even_if_it_is_empty() -> None:
    assert [ROOTS.allows(a_server(roots=roots)) for roots in (None, ())] == [False, True]
