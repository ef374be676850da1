"""Why something ended or failed, as data: a code with parameters, and never a sentence.

`webclient.reasons` has the sentence of each code, and renders it in the language of its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Param = str | int | float


class ReasonCode(StrEnum):
    """Why something ended or failed; the placeholders of a code's sentence are its parameters."""

    UNCODED = "uncoded"
    """The sentence comes as a parameter, from a version that stored sentences."""

    # What the policy refuses.
    KIND_UNSUPPORTED = "kind_unsupported"
    FORM_MODE_OFF = "form_mode_off"
    URL_MODE_OFF = "url_mode_off"
    RATE_LIMIT = "rate_limit"
    TOO_LARGE = "too_large"
    TOO_MANY_PENDING = "too_many_pending"
    PENDING_TOO_LARGE = "pending_too_large"
    TOO_MANY_AT_ONCE = "too_many_at_once"
    SERVER_MUTED = "server_muted"
    MALFORMED = "malformed"
    ENTRY_NOT_AN_OBJECT = "entry_not_an_object"
    ENTRY_NOT_A_LINK = "entry_not_a_link"
    ENTRY_WITHOUT_URL = "entry_without_url"
    ENTRY_MESSAGE_NOT_TEXT = "entry_message_not_text"
    TOO_MANY_LINKS = "too_many_links"

    # How a question ends without an answer.
    WITHDRAWN = "withdrawn"
    WITHDRAWN_BECAUSE = "withdrawn_because"
    SERVER_TIME_LIMIT = "server_time_limit"
    DEADLINE_PASSED = "deadline_passed"
    CALL_CANCELLED = "call_cancelled"
    CALL_ENDED = "call_ended"
    CALL_ENDED_EARLY = "call_ended_early"
    CALL_ENDED_DURING_LINK = "call_ended_during_link"
    CALL_ENDED_WITHOUT_LINK = "call_ended_without_link"
    CONNECTION_LOST = "connection_lost"
    SERVER_DISCONNECTED = "server_disconnected"
    PERMISSIONS_CHANGED = "permissions_changed"
    ERA_CHANGED = "era_changed"
    CLIENT_STOPPED = "client_stopped"
    CHECKPOINT_UNREADABLE = "checkpoint_unreadable"

    # Why a call fails.
    LINK_DECLINED = "link_declined"
    LINK_DISMISSED = "link_dismissed"
    LINK_GIVEN_UP = "link_given_up"
    LINK_NOT_OPENED = "link_not_opened"
    LINKS_MISSING = "links_missing"
    LINKS_INVALID = "links_invalid"
    LINKS_MUTED = "links_muted"
    REQUEST_STATE_REJECTED = "request_state_rejected"
    REQUEST_STATE_TOO_LARGE = "request_state_too_large"
    RESPONSE_NOT_MCP = "response_not_mcp"
    RESULT_INVALID = "result_invalid"
    RESULT_TOO_LARGE = "result_too_large"
    RESULT_TOO_MANY_VALUES = "result_too_many_values"
    TOO_MANY_ROUNDS = "too_many_rounds"
    PUSH_NOT_ALLOWED = "push_not_allowed"
    PUSH_PERHAPS_NEEDED = "push_perhaps_needed"
    PUSH_REPORTED_MISSING = "push_reported_missing"
    NOT_CONNECTED = "not_connected"
    SERVER_NOT_CONNECTED = "server_not_connected"
    CALL_OVER = "call_over"
    INTERNAL_ERROR = "internal_error"

    # What there is to say beside a result.
    RESULT_MISMATCH = "result_mismatch"
    RESULT_MISMATCH_AT = "result_mismatch_at"
    RESULT_UNCHECKED = "result_unchecked"

    # What becomes of a link.
    LINK_REPEATED = "link_repeated"
    LINK_REPEATED_CHANGED = "link_repeated_changed"
    PERSON_FINISHED = "person_finished"
    PERSON_GAVE_UP = "person_gave_up"
    SERVER_REPORTED_FINISHED = "server_reported_finished"
    SERVER_STILL_WAITS = "server_still_waits"
    SERVER_NOT_SATISFIED = "server_not_satisfied"
    SERVER_CONTINUED = "server_continued"


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and its parameters, which are plain data; what a server said is one of them, as it said it."""

    code: ReasonCode
    params: Mapping[str, Param] = field(default_factory=dict)

    @classmethod
    def of(cls, code: ReasonCode, **params: Param) -> Reason:
        """Return the reason with these parameters: the placeholders of the code's sentence."""
        return cls(code, params)
