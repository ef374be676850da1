"""The base of all kinds: its digest is equal for requests in which a person sees the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.inbox.kinds.requests import form, link
from webclient.domain.model import InputRequest, Json, RequestState
from webclient.inbox.kinds import FORM, LINK, kind_of

PARAMS: Json = {"mode": "form", "message": "Your name?", "requestedSchema": {"type": "object", "properties": {}}}


@pytest.mark.parametrize("name", ["_meta", "mode", "task"])
def test_a_digest_leaves_out_hidden_parameters(name: str) -> None:
    others = {key: value for key, value in PARAMS.items() if key != name}
    assert FORM.digest(others | {name: "anything"}) == FORM.digest(others) == FORM.digest(PARAMS)


@pytest.mark.parametrize("change", [{"message": "Your PIN?"}, {"requestedSchema": {}}, {"x-note": "hm"}])
def test_a_digest_differs_for_any_other_parameter(change: Json) -> None:
    assert FORM.digest(PARAMS | change) != FORM.digest(PARAMS)


def test_a_digest_differs_between_kinds() -> None:
    assert FORM.digest(PARAMS) != LINK.digest(PARAMS)


def test_the_id_of_an_elicitation_is_hidden_only_for_links() -> None:
    assert LINK.digest(PARAMS | {"elicitationId": "1"}) == LINK.digest(PARAMS | {"elicitationId": "2"})
    assert FORM.digest(PARAMS | {"elicitationId": "1"}) != FORM.digest(PARAMS)


ACTIONS = {
    RequestState.ACCEPTED: "accept",
    RequestState.WAITING: "accept",
    RequestState.COMPLETED: "accept",
    RequestState.DECLINED: "decline",
}


@pytest.mark.parametrize("state", [state for state in RequestState if state is not RequestState.PENDING])
@pytest.mark.parametrize("request_", [form(), link("https://example.com/")], ids=["form", "link"])
def test_a_server_gets_the_action_of_the_state(request_: InputRequest, state: RequestState) -> None:
    assert kind_of(request_).result(replace(request_, state=state)) == {"action": ACTIONS.get(state, "cancel")}
