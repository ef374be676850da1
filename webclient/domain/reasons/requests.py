"""Why input requests stand as they do: refused by the policy, ended without an answer, or finished elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Plural, Sentence

REFUSED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.KIND_UNSUPPORTED: N_("The server sent a request for {kind}, which this client does not support."),
    ReasonCode.FORM_MODE_OFF: N_("The server asked you to fill in a form, which you turned off for this server."),
    ReasonCode.URL_MODE_OFF: N_("The server asked you to open a web page, which you turned off for this server."),
    ReasonCode.SAMPLING_OFF: N_("The server asked for a message from a model, which you turned off for this server."),
    ReasonCode.ROOTS_NOT_SHARED: N_("The server asked which folders it may use. You share no folders with it."),
    ReasonCode.RATE_LIMIT: N_("Questions came faster than a person can answer them."),
    ReasonCode.OTHERS_RATE_LIMIT: N_(
        "A program may put {burst} questions at once to other people, and then {rate} each second. Ask again later "
        "(settings ask_others_burst, ask_others_rate)."
    ),
    ReasonCode.OTHERS_TOO_MANY_PENDING: Plural(
        "{n} question from this program is already waiting for this person, which is the limit (setting "
        "ask_others_pending).",
        "{n} questions from this program are already waiting for this person, which is the limit (setting "
        "ask_others_pending).",
    ),
    ReasonCode.TOO_LARGE: N_(
        "The question is too large to be shown: more than {kilobytes} kB (setting max_question_bytes)."
    ),
    ReasonCode.SAMPLING_TOO_LARGE: N_(
        "The conversation is too large to be shown: more than {kilobytes} kB (setting max_sampling_bytes)."
    ),
    ReasonCode.TOO_MANY_PENDING: Plural(
        "{n} question from this server is already waiting, so this would exceed the limit (setting max_pending).",
        "{n} questions from this server are already waiting, so this would exceed the limit (setting max_pending).",
    ),
    ReasonCode.PENDING_TOO_LARGE: Plural(
        "{n} question from this server is already waiting, and it is so large that no other one fits.",
        "{n} questions from this server are already waiting, and they are so large that no other one fits.",
    ),
    ReasonCode.TOO_MANY_OF_USER: Plural(
        "{n} question from your servers and programs is already waiting, so this would exceed the limit "
        "(setting max_user_pending).",
        "{n} questions from your servers and programs are already waiting, so this would exceed the limit "
        "(setting max_user_pending).",
    ),
    ReasonCode.TOO_LARGE_OF_USER: Plural(
        "{n} question from your servers and programs is already waiting, and it is so large that no other one fits.",
        "{n} questions from your servers and programs are already waiting, and they are so large that no other one "
        "fits.",
    ),
    ReasonCode.TOO_LARGE_AT_ONCE: N_(
        "The server asked {n} questions at once. Together they are too large: more than {kilobytes} kB."
    ),
    ReasonCode.TOO_MANY_AT_ONCE: N_(
        "The server asked {n} questions at once, but at most {most} may wait (setting max_pending)."
    ),
    ReasonCode.SERVER_MUTED: N_("You muted this server."),
    ReasonCode.MALFORMED: N_("The question was malformed, so it was refused: {error}"),
    ReasonCode.SAMPLING_NO_TOKENS: N_("The server asked for a message of no tokens, so it was refused."),
    ReasonCode.SAMPLING_WRONG_ROLE: N_(
        "The server put the use of a tool or its result into the wrong role, so the request was refused."
    ),
    ReasonCode.SAMPLING_RESULTS_MIXED: N_(
        "The server mixed results of tools with other content in one message, so the request was refused."
    ),
    ReasonCode.SAMPLING_RESULT_MISSING: N_(
        "The server left out the result of a tool that the model used, so the request was refused."
    ),
    ReasonCode.ENTRY_NOT_AN_OBJECT: N_("The server listed this among the links it needs, but it is not an object."),
    ReasonCode.ENTRY_NOT_A_LINK: N_(
        "The server listed this among the links it needs, but its mode is {mode} instead of “url”."
    ),
    ReasonCode.ENTRY_WITHOUT_URL: N_("The server listed this among the links it needs, but it has no url."),
    ReasonCode.ENTRY_MESSAGE_NOT_TEXT: N_(
        "The server listed this among the links it needs, but its message is not a text."
    ),
    ReasonCode.TOO_MANY_LINKS: N_("The server listed {n} links that it needs. Only the first {most} are shown."),
}

ENDED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.ROOTS_SHARED: N_("It was answered automatically with the folders that you share with this server."),
    ReasonCode.WITHDRAWN: N_("The server withdrew this question."),
    ReasonCode.WITHDRAWN_BECAUSE: N_("The server withdrew this question: “{why}”"),
    ReasonCode.SERVER_TIME_LIMIT: N_("{label} gave up after {duration} (its own limit)."),
    ReasonCode.DEADLINE_PASSED: N_("The deadline passed without an answer, so the question was cancelled."),
    ReasonCode.CALL_CANCELLED: N_("You cancelled the call."),
    ReasonCode.CALL_ENDED: N_("The call ended before this was answered."),
    ReasonCode.CALL_ENDED_EARLY: N_("The call has ended, so the server may no longer need your answer."),
    ReasonCode.CALL_ENDED_DURING_LINK: N_("The call ended before you finished there."),
    ReasonCode.CALL_ENDED_WITHOUT_LINK: N_("The call ended because {where} was not opened."),
    ReasonCode.CONNECTION_LOST: N_("The connection to the server was lost before this ended."),
    ReasonCode.SERVER_DISCONNECTED: N_("You disconnected the server before this ended."),
    ReasonCode.PERMISSIONS_CHANGED: N_("You changed what the server may ask, so it was reconnected."),
    ReasonCode.ADDRESS_CHANGED: N_("You changed the address or the headers of the server, so it was reconnected."),
    ReasonCode.ENTRY_CHANGED: N_("The entry of the server in the config file was changed, so it was reconnected."),
    ReasonCode.ENTRY_REMOVED: N_(
        "The server was removed from the config file, or the file no longer assigns it to you."
    ),
    ReasonCode.ERA_CHANGED: N_("You chose another protocol version for the server, so it was reconnected."),
    ReasonCode.CLIENT_STOPPED: N_("mcp-webclient was stopped before this ended."),
    ReasonCode.CHECKPOINT_UNREADABLE: N_("This version of mcp-webclient cannot read how to resume the call."),
}

LINKS: Mapping[ReasonCode, Sentence] = {
    ReasonCode.LINK_REPEATED: N_("You already opened this link during this call. The server asks for it again."),
    ReasonCode.LINK_REPEATED_CHANGED: N_(
        "You already opened this link during this call. The server asks for it again, with a different text."
    ),
    ReasonCode.PERSON_FINISHED: N_("You said that you had finished."),
    ReasonCode.PERSON_GAVE_UP: N_("You gave up waiting."),
    ReasonCode.SERVER_REPORTED_FINISHED: N_("The server said that you had finished."),
    ReasonCode.SERVER_STILL_WAITS: N_("The server still waits for you there."),
    ReasonCode.SERVER_NOT_SATISFIED: N_("You said that you had finished, but the server still waits for you there."),
    ReasonCode.SERVER_CONTINUED: N_("The server continued."),
}
