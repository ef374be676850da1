"""Why something ended or failed, as data: a code with parameters, and never a sentence.

`webclient.domain.reasons` has the sentence of each code, and renders it in the language of its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Param = str | int | float


class ReasonCode(StrEnum):
    """Why something ended or failed; the placeholders of a code's sentence are its parameters."""

    # What the policy refuses.
    KIND_UNSUPPORTED = "kind_unsupported"
    FORM_MODE_OFF = "form_mode_off"
    URL_MODE_OFF = "url_mode_off"
    SAMPLING_OFF = "sampling_off"
    ROOTS_NOT_SHARED = "roots_not_shared"
    RATE_LIMIT = "rate_limit"
    OTHERS_RATE_LIMIT = "others_rate_limit"
    OTHERS_TOO_MANY_PENDING = "others_too_many_pending"
    TOO_LARGE = "too_large"
    SAMPLING_TOO_LARGE = "sampling_too_large"
    TOO_MANY_PENDING = "too_many_pending"
    PENDING_TOO_LARGE = "pending_too_large"
    TOO_MANY_OF_USER = "too_many_of_user"
    TOO_LARGE_OF_USER = "too_large_of_user"
    TOO_LARGE_AT_ONCE = "too_large_at_once"
    TOO_MANY_AT_ONCE = "too_many_at_once"
    SERVER_MUTED = "server_muted"
    MALFORMED = "malformed"
    SAMPLING_NO_TOKENS = "sampling_no_tokens"
    SAMPLING_WRONG_ROLE = "sampling_wrong_role"
    SAMPLING_RESULTS_MIXED = "sampling_results_mixed"
    SAMPLING_RESULT_MISSING = "sampling_result_missing"
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
    ADDRESS_CHANGED = "address_changed"
    ENTRY_CHANGED = "entry_changed"
    ENTRY_REMOVED = "entry_removed"
    CLIENT_STOPPED = "client_stopped"
    CHECKPOINT_UNREADABLE = "checkpoint_unreadable"

    # How a question is answered without the person.
    ROOTS_SHARED = "roots_shared"

    # Why a call fails.
    SAMPLING_NO_MODEL = "sampling_no_model"
    SAMPLING_BUSY = "sampling_busy"
    SAMPLING_OTHER_KIND = "sampling_other_kind"
    SAMPLING_NOT_REVIEWED = "sampling_not_reviewed"
    SAMPLING_INTERRUPTED = "sampling_interrupted"
    SAMPLING_FAILED = "sampling_failed"
    SAMPLING_TURN_LIMIT = "sampling_turn_limit"
    SAMPLING_REQUEST_LIMIT = "sampling_request_limit"
    SAMPLING_TOKEN_LIMIT = "sampling_token_limit"  # noqa: S105  (not a password)
    SAMPLING_COST_LIMIT = "sampling_cost_limit"
    SAMPLING_DECLINED = "sampling_declined"
    SAMPLING_UNANSWERED = "sampling_unanswered"
    LINK_DECLINED = "link_declined"
    LINK_DISMISSED = "link_dismissed"
    LINK_GIVEN_UP = "link_given_up"
    LINK_NOT_OPENED = "link_not_opened"
    LINKS_MISSING = "links_missing"
    LINKS_INVALID = "links_invalid"
    LINKS_MUTED = "links_muted"
    HTTP_ERROR = "http_error"
    HTTP_ERROR_TOO_LARGE = "http_error_too_large"
    REQUEST_STATE_REJECTED = "request_state_rejected"
    REQUEST_STATE_TOO_LARGE = "request_state_too_large"
    RESPONSE_NOT_MCP = "response_not_mcp"
    RESULT_INVALID = "result_invalid"
    RESULT_TOO_LARGE = "result_too_large"
    RESULT_TOO_MANY_VALUES = "result_too_many_values"
    STREAM_NOT_RESUMED = "stream_not_resumed"
    STREAM_REFUSED = "stream_refused"
    TOOL_HEADERS_REFUSED = "tool_headers_refused"
    TOO_MANY_ROUNDS = "too_many_rounds"
    PUSH_NOT_ALLOWED = "push_not_allowed"
    PUSH_PERHAPS_NEEDED = "push_perhaps_needed"
    PUSH_REPORTED_MISSING = "push_reported_missing"
    NOT_CONNECTED = "not_connected"
    SERVER_NOT_CONNECTED = "server_not_connected"
    CALL_OVER = "call_over"
    INTERNAL_ERROR = "internal_error"

    # How a task ends without a result.
    TASK_UNKNOWN = "task_unknown"
    TASK_EXPIRED = "task_expired"
    TASK_FAILED = "task_failed"
    TASK_FAILED_SAYING = "task_failed_saying"
    TASK_CANCELLED = "task_cancelled"
    TASK_CANCELLED_SAYING = "task_cancelled_saying"
    TASK_UNEXPECTED = "task_unexpected"
    TASK_OTHER_ERA = "task_other_era"
    ANSWER_REFUSED = "answer_refused"

    # Why a server is not connected.
    SESSION_LOST = "session_lost"
    SESSION_UNKNOWN = "session_unknown"
    MESSAGE_TOO_LARGE = "message_too_large"
    MESSAGE_TOO_MANY_VALUES = "message_too_many_values"
    TOO_MANY_REQUESTS = "too_many_requests"
    CONNECT_TIMEOUT = "connect_timeout"
    STOPPED_ANSWERING = "stopped_answering"
    NOTHING_LISTENS = "nothing_listens"
    HOST_UNKNOWN = "host_unknown"
    ADDRESS_FORBIDDEN = "address_forbidden"
    CERTIFICATE_INVALID = "certificate_invalid"
    NOT_HTTPS = "not_https"
    UNREACHABLE = "unreachable"
    CONNECTION_REFUSED = "connection_refused"
    LIST_REFUSED = "list_refused"
    CONNECTION_FAILED = "connection_failed"
    ERA_MISMATCH = "era_mismatch"
    ERA_REFUSED = "era_refused"
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
    SECRETS_LOST = "secrets_lost"
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

    # Why a sign-in to a server is not possible, or has failed.
    SIGN_IN_REQUIRED = "sign_in_required"
    SIGN_IN_UNKNOWN = "sign_in_unknown"
    SIGN_IN_USED = "sign_in_used"
    SIGN_IN_EXPIRED = "sign_in_expired"
    SIGN_IN_OTHER_USER = "sign_in_other_user"
    SIGN_IN_OTHER_BROWSER = "sign_in_other_browser"
    SIGN_IN_DISMISSED = "sign_in_dismissed"
    SIGN_IN_REMOVED = "sign_in_removed"
    SIGN_IN_NOT_REVOKED = "sign_in_not_revoked"
    SIGN_IN_DENIED = "sign_in_denied"
    SIGN_IN_ERROR = "sign_in_error"
    SIGN_IN_NO_CODE = "sign_in_no_code"
    SIGN_IN_OTHER_RESOURCE = "sign_in_other_resource"
    SIGN_IN_NO_SERVER = "sign_in_no_server"
    SIGN_IN_NO_METADATA = "sign_in_no_metadata"
    SIGN_IN_NO_ENDPOINT = "sign_in_no_endpoint"
    SIGN_IN_OTHER_ISSUER = "sign_in_other_issuer"
    SIGN_IN_NO_PKCE = "sign_in_no_pkce"
    SIGN_IN_FORBIDDEN_ADDRESS = "sign_in_forbidden_address"
    SIGN_IN_NOT_HTTPS = "sign_in_not_https"
    SIGN_IN_UNAVAILABLE = "sign_in_unavailable"
    SIGN_IN_TIMEOUT = "sign_in_timeout"
    SIGN_IN_UNREACHABLE = "sign_in_unreachable"
    SIGN_IN_ANSWER_UNUSABLE = "sign_in_answer_unusable"
    SIGN_IN_NO_REGISTRATION = "sign_in_no_registration"
    SIGN_IN_REGISTRATION_REFUSED = "sign_in_registration_refused"
    SIGN_IN_REGISTRATION_UNUSABLE = "sign_in_registration_unusable"
    SIGN_IN_CLIENT_OF_OTHER_ISSUER = "sign_in_client_of_other_issuer"
    SIGN_IN_CLIENT_UNKNOWN = "sign_in_client_unknown"
    SIGN_IN_REGISTERED_OFTEN = "sign_in_registered_often"
    SIGN_IN_NOT_REGISTERED = "sign_in_not_registered"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGN_IN_NO_TOKEN = "sign_in_no_token"  # noqa: S105  (not a password)
    SIGN_IN_OTHER_TOKEN = "sign_in_other_token"  # noqa: S105
    SIGN_IN_TOKEN_REJECTED = "sign_in_token_rejected"  # noqa: S105
    SIGN_IN_OTHER_ISS = "sign_in_other_iss"
    SIGN_IN_MISSING_ISS = "sign_in_missing_iss"
    SIGN_IN_SCOPE_LIMIT = "sign_in_scope_limit"
    SIGN_IN_KEY_UNUSABLE = "sign_in_key_unusable"
    SIGN_IN_NOT_CONFIGURED = "sign_in_not_configured"
    SIGN_IN_FAILED = "sign_in_failed"

    # What there is to say beside a result.
    RESULT_MISMATCH = "result_mismatch"
    RESULT_MISMATCH_AT = "result_mismatch_at"
    RESULT_UNCHECKED = "result_unchecked"
    RAN_WITHOUT_ASKING = "ran_without_asking"

    # What is missing in a server's lists.
    LIST_TOO_LONG = "list_too_long"
    LIST_TOO_LARGE = "list_too_large"
    LIST_ENTRIES_INVALID = "list_entries_invalid"
    TOOL_NAMES_IRREGULAR = "tool_names_irregular"
    TOOL_NAMES_REPEATED = "tool_names_repeated"

    # Why nothing can be stored or read.
    FOLDER_UNWRITABLE = "folder_unwritable"
    DATABASE_BROKEN = "database_broken"
    DATABASE_FULL = "database_full"
    DATABASE_READ_ONLY = "database_read_only"
    DATABASE_UNREACHABLE = "database_unreachable"
    DATABASE_REFUSED = "database_refused"
    DATABASE_UNUSABLE = "database_unusable"
    DATABASE_IN_USE = "database_in_use"
    DATABASE_TAKEN_OVER = "database_taken_over"
    DATABASE_NOT_READY = "database_not_ready"
    DISK_TOO_SLOW = "disk_too_slow"
    PROGRAM_ENDING = "program_ending"
    ANSWER_NOT_STORED = "answer_not_stored"

    # Why a model was chosen.
    MODEL_ONLY = "model_only"
    MODEL_FIRST = "model_first"
    MODEL_FIRST_NOT_HINTS = "model_first_not_hints"
    MODEL_BY_HINT = "model_by_hint"
    MODEL_BY_HINT_AND_PRIORITIES = "model_by_hint_and_priorities"
    MODEL_BY_PRIORITIES = "model_by_priorities"
    MODEL_BY_PRIORITIES_NOT_HINTS = "model_by_priorities_not_hints"

    # Why a model gave no answer.
    MODEL_NOT_CONFIGURED = "model_not_configured"
    MODEL_EXTRA_MISSING = "model_extra_missing"
    MODEL_KEY_WANTED = "model_key_wanted"
    MODEL_KEY_MISSING = "model_key_missing"
    MODEL_KEY_REJECTED = "model_key_rejected"
    MODEL_UNKNOWN = "model_unknown"
    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_TIMEOUT = "model_timeout"
    MODEL_BUSY = "model_busy"
    MODEL_QUOTA_USED = "model_quota_used"
    MODEL_REQUEST_REFUSED = "model_request_refused"
    MODEL_CONTENT_UNSUPPORTED = "model_content_unsupported"
    MODEL_PROVIDER_FAILED = "model_provider_failed"
    MODEL_REDIRECTED = "model_redirected"
    MODEL_ANSWER_UNUSABLE = "model_answer_unusable"
    MODEL_ANSWER_FAILED = "model_answer_failed"
    MODEL_ANSWER_CUT = "model_answer_cut"
    MODEL_ANSWER_EMPTY = "model_answer_empty"
    MODEL_ANSWER_TOO_LARGE = "model_answer_too_large"
    MODEL_ANSWER_FILTERED = "model_answer_filtered"
    MODEL_LIMIT_TOO_LOW = "model_limit_too_low"
    MODEL_TOOL_NOT_ALLOWED = "model_tool_not_allowed"
    MODEL_ARGUMENTS_CUT = "model_arguments_cut"
    MODEL_ARGUMENTS_INVALID = "model_arguments_invalid"
    MODEL_HAS_NO_REPLY = "model_has_no_reply"

    # What becomes of a link.
    LINK_REPEATED = "link_repeated"
    LINK_REPEATED_CHANGED = "link_repeated_changed"
    PERSON_FINISHED = "person_finished"
    PERSON_GAVE_UP = "person_gave_up"
    SERVER_REPORTED_FINISHED = "server_reported_finished"
    SERVER_STILL_WAITS = "server_still_waits"
    SERVER_NOT_SATISFIED = "server_not_satisfied"
    SERVER_CONTINUED = "server_continued"


TEMPORARY = frozenset(
    {
        ReasonCode.SIGN_IN_UNAVAILABLE,
        ReasonCode.SIGN_IN_UNREACHABLE,
        ReasonCode.SIGN_IN_TIMEOUT,
        ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS,
    }
)
"""Reasons for which a sign-in fails now and may succeed later, without the user; names may lead elsewhere by then."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and its parameters, which are plain data; what a server said is one of them, as it said it."""

    code: ReasonCode
    params: Mapping[str, Param] = field(default_factory=dict)

    @classmethod
    def of(cls, code: ReasonCode, **params: Param) -> Reason:
        """Return the reason with these parameters: the placeholders of the code's sentence."""
        return cls(code, params)
