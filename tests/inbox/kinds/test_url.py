"""A link is accepted without content if it may be opened, and waits until it is finished."""

from __future__ import annotations

import pytest

from tests.inbox.kinds.requests import link
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, Json, ReasonCode, RequestState
from webclient.inbox.kinds import FORM, LINK, link_of, recognised

URL = "https://one.example/x"


def test_an_elicitation_in_url_mode_is_a_link() -> None:
    assert recognised("elicitation/create", {"mode": "url", "url": URL}) is LINK
    # It cannot be read, and is shown as a form that says so.
    assert recognised("elicitation/create", {"mode": "telepathy"}) is FORM


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "", None, 7, ["https://one.example"]])
def test_only_a_web_address_can_be_accepted(url: object) -> None:
    with pytest.raises(InvalidAnswerError):
        LINK.check(link(url), Action.ACCEPT)
    assert LINK.check(link(url), Action.DECLINE).action is Action.DECLINE


def test_a_link_is_accepted_without_content() -> None:
    assert LINK.check(link(URL), Action.ACCEPT).content is None
    assert LINK.check(link(URL), Action.ACCEPT, {}).content is None
    with pytest.raises(InvalidAnswerError):
        LINK.check(link(URL), Action.ACCEPT, {"a": 1})


def test_an_accepted_link_waits_and_others_end() -> None:
    states = [LINK.state_after(action) for action in Action]
    assert states == [RequestState.WAITING, RequestState.DECLINED, RequestState.CANCELLED]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, ReasonCode.LINK_REPEATED),
        ({"message": "Pay"}, ReasonCode.LINK_REPEATED_CHANGED),
        ({"url": URL + "2"}, None),
    ],
)
def test_a_link_that_was_finished_before_says_so(change: Json, code: ReasonCode | None) -> None:
    finished = link(URL, state=RequestState.COMPLETED)
    finished = link(URL, state=RequestState.COMPLETED, digest=LINK.digest(finished.params))
    again = link(URL)
    again.params.update(change)
    assert LINK.placed(again, [finished, link(URL)]).reason_code == code


def test_only_an_http_server_has_a_site_to_compare_with() -> None:
    codes = {finding.code for finding in link_of(link(URL)).findings}
    assert codes == {"host-differs-from-server"}
    assert "first-time-domain" in {finding.code for finding in link_of(link(URL), opened=()).findings}


def test_the_history_has_the_address_as_it_was_sent() -> None:
    assert [text for _title, text in LINK.facts(link(URL))] == [URL]
    assert [text for _title, text in LINK.facts(link("java\nscript:x"))] == ["java\nscript:x"]
