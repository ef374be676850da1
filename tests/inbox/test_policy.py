"""The rules under which a server may ask."""

from __future__ import annotations

import pytest

from tests.inbox.test_inbox import a_question
from webclient.inbox.policy import Limit, refusal
from webclient.model import Mode, RequestKind, Server


def a_server(**fields: object) -> Server:
    return Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1"}, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_mode_may_be_used_as_long_as_the_user_leaves_it(mode: Mode) -> None:
    question = a_question(kind=RequestKind(mode))
    assert refusal(a_server(), question) is None
    assert refusal(a_server(modes=(mode,)), question) is None
    for modes in [(), tuple(each for each in Mode if each is not mode)]:
        refused = refusal(a_server(modes=modes), question)
        assert refused is not None
        assert (refused.limit, mode in refused.told) == (Limit.MODE, True)
        assert "switched off" in refused.reason


@pytest.mark.parametrize("kind", [RequestKind.SAMPLING, RequestKind.ROOTS])
def test_what_is_offered_to_nobody_is_refused_whatever_the_modes(kind: RequestKind) -> None:
    refused = refusal(a_server(), a_question(kind=kind))
    assert refused is not None
    assert refused.limit is Limit.KIND
