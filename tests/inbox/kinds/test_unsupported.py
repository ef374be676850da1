"""A kind that this client does not support cannot be accepted, and can be refused."""

from __future__ import annotations

import pytest

from tests.inbox.kinds.requests import request_of
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, Json, ReasonCode
from webclient.inbox.kinds import kind_of, recognised


def test_roots_are_recognised_and_have_no_mode() -> None:
    kind = recognised("roots/list", {})
    assert (kind.name, kind.mode, kind.mode_off) == ("roots", None, ReasonCode.ROOTS_NOT_SHARED)
    assert not kind.takes("", {})


@pytest.mark.parametrize("name", ["roots", "of-a-later-version"])
@pytest.mark.parametrize("content", [None, {}, {"roots": []}])
def test_an_unsupported_request_cannot_be_accepted(name: str, content: Json | None) -> None:
    request = request_of(name, {})
    with pytest.raises(InvalidAnswerError):
        kind_of(request).check(request, Action.ACCEPT, content)


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
def test_an_unsupported_request_can_be_declined_and_dismissed(action: Action) -> None:
    request = request_of("of-a-later-version", {})
    answer = kind_of(request).check(request, action)
    assert (answer.action, answer.content) == (action, None)


def test_an_unsupported_request_has_neither_form_nor_link() -> None:
    request = request_of("roots", {})
    kind = kind_of(request)
    assert (kind.form(request), kind.link(request), kind.read(request, []), kind.is_long(request)) == (
        None,
        None,
        None,
        False,
    )
