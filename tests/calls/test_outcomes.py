"""The outcomes of sending a call, and how calls end."""

from __future__ import annotations

import pytest

from webclient.calls.outcomes import End, InputRequired, Result, outcome_of
from webclient.calls.required_links import LinksRequired
from webclient.domain.model import CallError, CallState, Json, Reason, ReasonCode
from webclient.protocol.messages.server_error import ServerError

TOOL: Json = {
    "name": "t",
    "outputSchema": {"type": "object", "properties": {"rooms": {"type": "array", "items": {"type": "integer"}}}},
}


def done(**result: object) -> End:
    return End(state=CallState.DONE, result=dict(result), by_server=True)


@pytest.mark.parametrize("kind", [{}, {"resultType": "complete"}, {"resultType": "later"}])
def test_any_other_result_is_the_result_of_the_call(kind: Json) -> None:
    assert outcome_of({"content": [], **kind}) == Result({"content": [], **kind})


def test_an_input_required_result_requires_input() -> None:
    entries = {"a": {"method": "elicitation/create"}}
    answer = {"resultType": "input_required", "inputRequests": entries, "requestState": "s"}
    assert outcome_of(answer) == InputRequired(entries, "s")


@pytest.mark.parametrize("entries", [{}, {"inputRequests": None}])
def test_an_input_required_result_may_require_nothing(entries: Json) -> None:
    assert outcome_of({"resultType": "input_required", **entries}) == InputRequired({}, None)


def test_an_error_with_links_requires_links() -> None:
    link = {"mode": "url", "url": "https://example.com/"}
    outcome = outcome_of(ServerError(-32042, "needed", {"elicitations": [link]}))
    assert isinstance(outcome, LinksRequired)
    assert outcome.links == [link]


def test_any_other_error_is_raised() -> None:
    error = ServerError(-32603, "no")
    with pytest.raises(ServerError) as raised:
        outcome_of(error)
    assert raised.value is error


@pytest.mark.parametrize("value", [{"rooms": [1]}, {}])
def test_a_result_that_fits_its_schema_has_no_note(value: Json) -> None:
    end = done(structuredContent=value)
    assert end.checked(TOOL) == end


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            {"rooms": [1, "two"]},
            Reason.of(ReasonCode.RESULT_MISMATCH_AT, field="rooms[1]", rule='type: ["integer"]'),
        ),
        (None, Reason.of(ReasonCode.RESULT_MISMATCH, rule='type: ["object"]')),
    ],
)
def test_a_result_that_does_not_fit_gets_a_note(value: Json | None, reason: Reason) -> None:
    checked = done(structuredContent=value).checked(TOOL)
    assert (checked.state, checked.result) == (CallState.DONE, {"structuredContent": value})
    assert checked.error == CallError(reason=reason)


@pytest.mark.parametrize("tool", [None, {"name": "t"}])
def test_a_result_without_a_schema_is_not_checked(tool: Json | None) -> None:
    end = done(structuredContent={"rooms": "many"})
    assert end.checked(tool) == end


def test_an_error_result_is_not_checked() -> None:
    end = done(isError=True)
    assert end.checked(TOOL) == end
