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

    # Why a server is not connected.
    SESSION_LOST = "session_lost"
    SESSION_UNKNOWN = "session_unknown"
    MESSAGE_TOO_LARGE = "message_too_large"
    MESSAGE_TOO_MANY_VALUES = "message_too_many_values"
    TOO_MANY_REQUESTS = "too_many_requests"
    CONNECT_TIMEOUT = "connect_timeout"
    STOPPED_ANSWERING = "stopped_answering"
    UNREACHABLE = "unreachable"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_FAILED = "connection_failed"
    ERA_MISMATCH = "era_mismatch"
    NOT_AN_MCP_MESSAGE = "not_an_mcp_message"
    NOT_MCP = "not_mcp"
    FOLDER_UNUSABLE = "folder_unusable"
    COMMAND_NOT_FOUND = "command_not_found"
    COMMAND_FAILED = "command_failed"
    PROCESS_ENDED = "process_ended"
    PROCESS_ENDED_SILENTLY = "process_ended_silently"
    PROCESS_NOT_READY = "process_not_ready"
    PROCESS_NOT_READY_SILENT = "process_not_ready_silent"
    CONFIG_INVALID = "config_invalid"
    SERVER_SAID = "server_said"

    # What an HTTP server answers in place of a session.
    HTTP_UNEXPECTED = "http_unexpected"
    HTTP_REDIRECT = "http_redirect"
    HTTP_TOKEN_REJECTED = "http_token_rejected"  # noqa: S105  (not a password)
    HTTP_OAUTH_REQUIRED = "http_oauth_required"
    HTTP_UNAUTHORIZED = "http_unauthorized"
    HTTP_WEB_PAGE = "http_web_page"
    HTTP_OTHER_CONTENT = "http_other_content"
    HTTP_UNNAMED_CONTENT = "http_unnamed_content"
    HTTP_BAD_REQUEST = "http_bad_request"
    HTTP_FORBIDDEN = "http_forbidden"
    HTTP_NOT_FOUND = "http_not_found"
    HTTP_METHOD_NOT_ALLOWED = "http_method_not_allowed"
    HTTP_NOT_ACCEPTABLE = "http_not_acceptable"
    HTTP_PROXY_SIGN_IN = "http_proxy_sign_in"
    HTTP_TOO_MANY_REQUESTS = "http_too_many_requests"
    HTTP_INTERNAL_SERVER_ERROR = "http_internal_server_error"
    HTTP_BAD_GATEWAY = "http_bad_gateway"
    HTTP_SERVICE_UNAVAILABLE = "http_service_unavailable"
    HTTP_GATEWAY_TIMEOUT = "http_gateway_timeout"
    HTTP_CLIENT_ERROR = "http_client_error"
    HTTP_SERVER_ERROR = "http_server_error"

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
