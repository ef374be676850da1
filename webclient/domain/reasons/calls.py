"""Why calls fail, and what there is to say beside their results."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Plural, Sentence

FAILED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SAMPLING_DECLINED: N_(
        "You declined to give the server a message from a model. {version} has no way to say so, so the call was ended."
    ),
    ReasonCode.SAMPLING_UNANSWERED: N_(
        "The message from a model that the call needs was not given. {version} has no way to say so, so the call was "
        "ended."
    ),
    ReasonCode.LINK_DECLINED: N_("You declined to open {where}, which the call needs."),
    ReasonCode.LINK_DISMISSED: N_("You did not open {where}, which the call needs."),
    ReasonCode.LINK_GIVEN_UP: N_("You gave up waiting for {where}, which the call needs."),
    ReasonCode.LINK_NOT_OPENED: N_("The call needs {where}, which was not opened."),
    ReasonCode.LINKS_MISSING: N_(
        "The server needs you to open a link first, but its list of links (data.elicitations) is missing or empty."
    ),
    ReasonCode.LINKS_INVALID: N_(
        "The server needs you to open a link first, but no entry in its list of links is a link."
    ),
    ReasonCode.LINKS_MUTED: N_("You muted {label}, so the links that it needs were not shown."),
    ReasonCode.HTTP_ERROR: N_("The server answered with HTTP status {status} instead of a result."),
    ReasonCode.HTTP_ERROR_TOO_LARGE: N_(
        "The server answered with HTTP status {status} instead of a result. Its explanation was discarded, because it "
        "exceeds the limit of {most:,} (setting {setting})."
    ),
    ReasonCode.REQUEST_STATE_REJECTED: N_("The server no longer remembers this question."),
    ReasonCode.REQUEST_STATE_TOO_LARGE: N_(
        "The server wants more than {most:,} bytes to be kept for it, which is the limit (setting {setting})."
    ),
    ReasonCode.RESPONSE_NOT_MCP: N_("The server answered with JSON that is not an MCP message."),
    ReasonCode.RESULT_INVALID: N_("The server’s result is not valid MCP: {error}"),
    ReasonCode.RESULT_TOO_LARGE: N_(
        "The server ran the call, but its result was discarded: it has more than {most:,} bytes (setting {setting})."
    ),
    ReasonCode.RESULT_TOO_MANY_VALUES: N_(
        "The server ran the call, but its result was discarded: it has more than {most:,} values (setting {setting})."
    ),
    ReasonCode.STREAM_NOT_RESUMED: N_(
        "The server ended its response before the result came, and the rest could not be fetched. "
        "It may have run the call."
    ),
    ReasonCode.STREAM_REFUSED: N_(
        "The server ended its response before the result came, and refused to send the rest (HTTP status {status}). "
        "It may have run the call."
    ),
    ReasonCode.TOOL_HEADERS_REFUSED: N_(
        "The server refused the call, because its HTTP headers do not fit the tool. It has not run the call."
    ),
    ReasonCode.TOO_MANY_ROUNDS: Plural(
        "The server asked for another round {n} time in a row without an answer from you, so the call was stopped.",
        "The server asked for another round {n} times in a row without an answer from you, so the call was stopped.",
    ),
    ReasonCode.PUSH_NOT_ALLOWED: N_(
        "The server tried to push its question, which {modern} does not allow. Reconnect with {push} and run it again."
    ),
    ReasonCode.PUSH_PERHAPS_NEEDED: N_(
        "The call failed without asking you anything, and some servers can ask only in {push}. "
        "If you expected a question, reconnect with {push} and run it again."
    ),
    ReasonCode.PUSH_REPORTED_MISSING: N_(
        "The server says that it could not ask you, and some servers can ask only in {push}. "
        "If you expected a question, reconnect with {push} and run it again."
    ),
    ReasonCode.NOT_CONNECTED: N_("{label} is not connected (state: {state}). Connect it first."),
    ReasonCode.SERVER_NOT_CONNECTED: N_("The server is not connected. Connect it first."),
    ReasonCode.CALL_OVER: N_("The call has already ended."),
    ReasonCode.INTERNAL_ERROR: N_("The call failed because of a fault in this program; its log has the details."),
}

NOTED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.RESULT_MISMATCH: N_(
        "The structured result does not fit the schema that the server announced for it ({rule})."
    ),
    ReasonCode.RESULT_MISMATCH_AT: N_(
        "The structured result does not fit the schema that the server announced for it, at {field} ({rule})."
    ),
    ReasonCode.RESULT_UNCHECKED: N_(
        "The structured result could not be checked against the schema that the server announced for it."
    ),
    ReasonCode.RAN_WITHOUT_ASKING: N_(
        "The server says that this tool may destroy something, and it ran without asking you. "
        "The server also supports {push}, and some servers ask only in that version."
    ),
}
