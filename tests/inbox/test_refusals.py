"""Refusals as the server gets them: each has the code that the protocol or its limit calls for."""

from __future__ import annotations

import pytest

from webclient.domain.model import Reason, ReasonCode, ServerRequest
from webclient.inbox.policy import FLOODS, Limit, Refusal, RefusedError
from webclient.inbox.refusals import refusals
from webclient.protocol import INTERNAL_ERROR, INVALID_PARAMS, TOO_MANY, UNKNOWN_METHOD, RequestRefusedError
from webclient.store import StorageError

ELICITATION = ServerRequest(method="elicitation/create", params={})
SAMPLING = ServerRequest(method="sampling/createMessage", params={})


def code_of(request: ServerRequest, error: Exception) -> int:
    """Return the code with which a server gets an error."""
    with pytest.raises(RequestRefusedError) as refused, refusals(request):
        raise error
    return refused.value.code


def refused(limit: Limit) -> RefusedError:
    return RefusedError(Refusal(limit, Reason(ReasonCode.WITHDRAWN), "No."))


@pytest.mark.parametrize("limit", sorted(FLOODS))
def test_a_server_that_asks_too_much_has_a_code_of_its_own(limit: Limit) -> None:
    assert {code_of(request, refused(limit)) for request in (ELICITATION, SAMPLING)} == {TOO_MANY}


@pytest.mark.parametrize("limit", [Limit.KIND, Limit.MODE])
def test_an_undeclared_mode_of_elicitation_has_wrong_parameters(limit: Limit) -> None:
    """MCP 2025-11-25, Elicitation, Error Handling: MUST be -32602; a method that was not declared is unknown."""
    assert code_of(ELICITATION, refused(limit)) == INVALID_PARAMS
    assert code_of(SAMPLING, refused(limit)) == UNKNOWN_METHOD


@pytest.mark.parametrize("limit", [Limit.MALFORMED, Limit.MUTED])
def test_other_refusals_have_wrong_parameters(limit: Limit) -> None:
    assert {code_of(request, refused(limit)) for request in (ELICITATION, SAMPLING)} == {INVALID_PARAMS}


def test_a_question_that_cannot_be_stored_is_an_internal_error() -> None:
    assert code_of(ELICITATION, StorageError(Reason(ReasonCode.PROGRAM_ENDING))) == INTERNAL_ERROR
