"""Why something ended or failed, as data: a code with parameters, and never a sentence.

Each code stands here once, with the sentence that `webclient.domain.reasons` renders in the language of its reader;
`python -m scripts.reasons` writes docs/reasons.md from it, where each comment of a group is a heading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Self

from webclient.domain.i18n import N_

Param = str | int | float


class Plural(NamedTuple):
    """A sentence in the forms of a number, which is the parameter `by`."""

    one: str
    many: str
    by: str = "n"


Sentence = str | Plural


class ReasonCode(StrEnum):
    """Why something ended or failed; the placeholders of a code's sentence are its parameters."""

    sentence: Sentence

    def __new__(cls, code: str, sentence: Sentence = "") -> Self:
        """Return the member with its sentence; the value is the code."""
        made = str.__new__(cls, code)
        made._value_ = code
        made.sentence = sentence
        return made

    # A code and the beginning of its sentence share a line.
    # fmt: off

    # Approvals, decided otherwise than as proposed.
    APPROVED_AS_EDITED = "approved_as_edited", N_("You changed the arguments.")
    NOT_APPROVED = "not_approved", N_("A person declined this call, so it did not run.")
    NOT_APPROVED_BECAUSE = "not_approved_because", N_(
        "A person declined this call, so it did not run. Their words: {words}"
    )
    APPROVAL_EXPIRED = "approval_expired", N_("No person decided on this call in time, so it did not run.")
    APPROVAL_DISMISSED = "approval_dismissed", N_("A person dismissed the question whether this call may run.")
    TOOL_CHANGED = "tool_changed", N_("The tool has changed since you decided on this call. Decide again.")
    RULE_CHANGED = "rule_changed", N_(
        "The rule that asks about this call has changed since you decided on it. Decide again."
    )
    REFUSED_BY_RULE = "refused_by_rule", N_("A rule refuses this call, so it did not run.")
    ANSWERED_FOR_TOOL = "answered_for_tool", N_("You answered in the place of the tool, which did not run.")

    # Requests that were refused.
    KIND_UNSUPPORTED = "kind_unsupported", N_(
        "The server sent a request for {kind}, which this client does not support."
    )
    FORM_MODE_OFF = "form_mode_off", N_("The server asked you to fill in a form, which you turned off for this server.")
    URL_MODE_OFF = "url_mode_off", N_("The server asked you to open a web page, which you turned off for this server.")
    SAMPLING_OFF = "sampling_off", N_(
        "The server asked for a message from a model, which you turned off for this server."
    )
    ROOTS_NOT_SHARED = "roots_not_shared", N_(
        "The server asked which folders it may use. You share no folders with it."
    )
    RATE_LIMIT = "rate_limit", N_("Questions came faster than a person can answer them.")
    OTHERS_RATE_LIMIT = "others_rate_limit", N_(
        "A program may put {burst} questions at once to other people, and then {rate} each second. Ask again later "
        "(settings ask_others_burst, ask_others_rate)."
    )
    OTHERS_TOO_MANY_PENDING = "others_too_many_pending", Plural(
        "{n} question from this program is already waiting for this person, which is the limit (setting "
        "ask_others_pending).",
        "{n} questions from this program are already waiting for this person, which is the limit (setting "
        "ask_others_pending).",
    )
    TOO_LARGE = "too_large", N_(
        "The question is too large to be shown: more than {kilobytes} kB (setting max_question_bytes)."
    )
    SAMPLING_TOO_LARGE = "sampling_too_large", N_(
        "The conversation is too large to be shown: more than {kilobytes} kB (setting max_sampling_bytes)."
    )
    TOO_MANY_PENDING = "too_many_pending", Plural(
        "{n} question from this server is already waiting, so this would exceed the limit (setting max_pending).",
        "{n} questions from this server are already waiting, so this would exceed the limit (setting max_pending).",
    )
    PENDING_TOO_LARGE = "pending_too_large", Plural(
        "{n} question from this server is already waiting, and it is so large that no other one fits.",
        "{n} questions from this server are already waiting, and they are so large that no other one fits.",
    )
    TOO_MANY_OF_USER = "too_many_of_user", Plural(
        "{n} question from your servers and programs is already waiting, so this would exceed the limit "
        "(setting max_user_pending).",
        "{n} questions from your servers and programs are already waiting, so this would exceed the limit "
        "(setting max_user_pending).",
    )
    TOO_LARGE_OF_USER = "too_large_of_user", Plural(
        "{n} question from your servers and programs is already waiting, and it is so large that no other one fits.",
        "{n} questions from your servers and programs are already waiting, and they are so large that no other one "
        "fits.",
    )
    TOO_LARGE_AT_ONCE = "too_large_at_once", N_(
        "The server asked {n} questions at once. Together they are too large: more than {kilobytes} kB."
    )
    TOO_MANY_AT_ONCE = "too_many_at_once", N_(
        "The server asked {n} questions at once, but at most {most} may wait (setting max_pending)."
    )
    SERVER_MUTED = "server_muted", N_("You muted this server.")
    MALFORMED = "malformed", N_("The question was malformed, so it was refused: {error}")
    SAMPLING_NO_TOKENS = "sampling_no_tokens", N_("The server asked for a message of no tokens, so it was refused.")
    SAMPLING_WRONG_ROLE = "sampling_wrong_role", N_(
        "The server put the use of a tool or its result into the wrong role, so the request was refused."
    )
    SAMPLING_RESULTS_MIXED = "sampling_results_mixed", N_(
        "The server mixed results of tools with other content in one message, so the request was refused."
    )
    SAMPLING_RESULT_MISSING = "sampling_result_missing", N_(
        "The server left out the result of a tool that the model used, so the request was refused."
    )
    ENTRY_NOT_AN_OBJECT = "entry_not_an_object", N_(
        "The server listed this among the links it needs, but it is not an object."
    )
    ENTRY_NOT_A_LINK = "entry_not_a_link", N_(
        "The server listed this among the links it needs, but its mode is {mode} instead of “url”."
    )
    ENTRY_WITHOUT_URL = "entry_without_url", N_("The server listed this among the links it needs, but it has no url.")
    ENTRY_MESSAGE_NOT_TEXT = "entry_message_not_text", N_(
        "The server listed this among the links it needs, but its message is not a text."
    )
    TOO_MANY_LINKS = "too_many_links", N_("The server listed {n} links that it needs. Only the first {most} are shown.")

    # Requests that ended without an answer.
    ROOTS_SHARED = "roots_shared", N_("It was answered automatically with the folders that you share with this server.")
    WITHDRAWN = "withdrawn", N_("The server withdrew this question.")
    WITHDRAWN_BECAUSE = "withdrawn_because", N_("The server withdrew this question: “{why}”")
    SERVER_TIME_LIMIT = "server_time_limit", N_("{label} gave up after {duration} (its own limit).")
    DEADLINE_PASSED = "deadline_passed", N_("The deadline passed without an answer, so the question was cancelled.")
    CALL_CANCELLED = "call_cancelled", N_("You cancelled the call.")
    AGENT_CANCELLED = "agent_cancelled", N_("The agent that made this call cancelled it.")
    AGENT_GONE = "agent_gone", N_("The agent that made this call went away and did not come back for the result.")
    AGENT_REVOKED = "agent_revoked", N_("The token of the agent that made this call was revoked.")
    ENDED_BY_DEMO = "ended_by_demo", N_("The demo ended this call.")
    CALL_ENDED = "call_ended", N_("The call ended before this was answered.")
    CALL_ENDED_EARLY = "call_ended_early", N_("The call has ended, so the server may no longer need your answer.")
    CALL_ENDED_DURING_LINK = "call_ended_during_link", N_("The call ended before you finished there.")
    CALL_ENDED_WITHOUT_LINK = "call_ended_without_link", N_("The call ended because {where} was not opened.")
    CONNECTION_LOST = "connection_lost", N_("The connection to the server was lost before this ended.")
    SERVER_DISCONNECTED = "server_disconnected", N_("You disconnected the server before this ended.")
    USER_DISABLED = "user_disabled", N_("Your account was disabled here before this ended.")
    PERMISSIONS_CHANGED = "permissions_changed", N_("You changed the permissions of the server, so it was reconnected.")
    ADDRESS_CHANGED = "address_changed", N_(
        "You changed the address or the headers of the server, so it was reconnected."
    )
    ENTRY_CHANGED = "entry_changed", N_(
        "The entry of the server in the config file was changed, so it was reconnected."
    )
    ENTRY_REMOVED = "entry_removed", N_(
        "The server was removed from the config file, or the file no longer assigns it to you."
    )
    ERA_CHANGED = "era_changed", N_("You chose another protocol version for the server, so it was reconnected.")
    CLIENT_STOPPED = "client_stopped", N_("mcp-webclient was stopped before this ended.")
    CHECKPOINT_UNREADABLE = "checkpoint_unreadable", N_(
        "This version of mcp-webclient cannot read how to resume the call."
    )
    CALL_SECRETS_LOST = "call_secrets_lost", N_(
        "Secret values of this call cannot be read, because their key is missing. Start the call over and enter them "
        "again."
    )

    # Links.
    LINK_REPEATED = "link_repeated", N_("You already opened this link during this call. The server asks for it again.")
    LINK_REPEATED_CHANGED = "link_repeated_changed", N_(
        "You already opened this link during this call. The server asks for it again, with a different text."
    )
    PERSON_FINISHED = "person_finished", N_("You said that you had finished.")
    PERSON_GAVE_UP = "person_gave_up", N_("You gave up waiting.")
    SERVER_REPORTED_FINISHED = "server_reported_finished", N_("The server said that you had finished.")
    SERVER_STILL_WAITS = "server_still_waits", N_("The server still waits for you there.")
    SERVER_NOT_SATISFIED = "server_not_satisfied", N_(
        "You said that you had finished, but the server still waits for you there."
    )
    SERVER_CONTINUED = "server_continued", N_("The server continued.")

    # Calls that failed.
    SAMPLING_DECLINED = "sampling_declined", N_(
        "You declined to give the server a message from a model. {version} has no way to say so, so the call was ended."
    )
    SAMPLING_UNANSWERED = "sampling_unanswered", N_(
        "The message from a model that the call needs was not given. {version} has no way to say so, so the call was "
        "ended."
    )
    LINK_DECLINED = "link_declined", N_("You declined to open {where}, which the call needs.")
    LINK_DISMISSED = "link_dismissed", N_("You did not open {where}, which the call needs.")
    LINK_GIVEN_UP = "link_given_up", N_("You gave up waiting for {where}, which the call needs.")
    LINK_NOT_OPENED = "link_not_opened", N_("The call needs {where}, which was not opened.")
    LINKS_MISSING = "links_missing", N_(
        "The server needs you to open a link first, but its list of links (data.elicitations) is missing or empty."
    )
    LINKS_INVALID = "links_invalid", N_(
        "The server needs you to open a link first, but no entry in its list of links is a link."
    )
    LINKS_MUTED = "links_muted", N_("You muted {label}, so the links that it needs were not shown.")
    HTTP_ERROR = "http_error", N_("The server answered with HTTP status {status} instead of a result.")
    HTTP_ERROR_TOO_LARGE = "http_error_too_large", N_(
        "The server answered with HTTP status {status} instead of a result. Its explanation was discarded, because it "
        "exceeds the limit of {most:,} (setting {setting})."
    )
    REQUEST_STATE_REJECTED = "request_state_rejected", N_("The server no longer remembers this question.")
    REQUEST_STATE_TOO_LARGE = "request_state_too_large", N_(
        "The server wants more than {most:,} bytes to be kept for it, which is the limit (setting {setting})."
    )
    RESPONSE_NOT_MCP = "response_not_mcp", N_("The server answered with JSON that is not an MCP message.")
    RESULT_INVALID = "result_invalid", N_("The server’s result is not valid MCP: {error}")
    RESULT_TOO_LARGE = "result_too_large", N_(
        "The server ran the call, but its result was discarded: it has more than {most:,} bytes (setting {setting})."
    )
    RESULT_TOO_MANY_VALUES = "result_too_many_values", N_(
        "The server ran the call, but its result was discarded: it has more than {most:,} values (setting {setting})."
    )
    STREAM_NOT_RESUMED = "stream_not_resumed", N_(
        "The server ended its response before the result came, and the rest could not be fetched. "
        "It may have run the call."
    )
    STREAM_REFUSED = "stream_refused", N_(
        "The server ended its response before the result came, and refused to send the rest (HTTP status {status}). "
        "It may have run the call."
    )
    TOOL_HEADERS_REFUSED = "tool_headers_refused", N_(
        "The server refused the call, because its HTTP headers do not fit the tool. It has not run the call."
    )
    TOO_MANY_ROUNDS = "too_many_rounds", Plural(
        "The server asked for another round {n} time in a row without an answer from you, so the call was stopped.",
        "The server asked for another round {n} times in a row without an answer from you, so the call was stopped.",
    )
    PUSH_NOT_ALLOWED = "push_not_allowed", N_(
        "The server tried to push its question, which {modern} does not allow. Reconnect with {push} and run it again."
    )
    PUSH_PERHAPS_NEEDED = "push_perhaps_needed", N_(
        "The call failed without asking you anything, and some servers can ask only in {push}. "
        "If you expected a question, reconnect with {push} and run it again."
    )
    PUSH_REPORTED_MISSING = "push_reported_missing", N_(
        "The server says that it could not ask you, and some servers can ask only in {push}. "
        "If you expected a question, reconnect with {push} and run it again."
    )
    NOT_CONNECTED = "not_connected", N_("{label} is not connected (state: {state}). Connect it first.")
    SERVER_NOT_CONNECTED = "server_not_connected", N_("The server is not connected. Connect it first.")
    CALL_OVER = "call_over", N_("The call has already ended.")
    INTERNAL_ERROR = "internal_error", N_(
        "The call failed because of a fault in this program; its log has the details."
    )

    # Notes beside a result.
    RESULT_MISMATCH = "result_mismatch", N_(
        "The structured result does not fit the schema that the server announced for it ({rule})."
    )
    RESULT_MISMATCH_AT = "result_mismatch_at", N_(
        "The structured result does not fit the schema that the server announced for it, at {field} ({rule})."
    )
    RESULT_UNCHECKED = "result_unchecked", N_(
        "The structured result could not be checked against the schema that the server announced for it."
    )
    RAN_WITHOUT_ASKING = "ran_without_asking", N_(
        "The server says that this tool may destroy something, and it ran without asking you. "
        "The server also supports {push}, and some servers ask only in that version."
    )

    # Tasks that ended without a result.
    TASK_UNKNOWN = "task_unknown", N_("The server no longer knows the task as which this call ran.")
    TASK_EXPIRED = "task_expired", N_("The server kept the task for {duration}, and that time ran out.")
    TASK_FAILED = "task_failed", N_("The task failed, and the server did not say why.")
    TASK_FAILED_SAYING = "task_failed_saying", N_("The task failed: “{said}”")
    TASK_CANCELLED = "task_cancelled", N_("The server cancelled the task.")
    TASK_CANCELLED_SAYING = "task_cancelled_saying", N_("The server cancelled the task: “{said}”")
    TASK_UNEXPECTED = "task_unexpected", N_("The server made a task of a request that cannot run as one.")
    TASK_OTHER_ERA = "task_other_era", N_(
        "The task was created in MCP {created}, and the server now speaks {now}, in which it cannot be reached."
    )
    ROUND_OTHER_ERA = "round_other_era", N_(
        "The server asked in MCP {created} and now speaks {now}, in which it cannot take the answer. "
        "Start the call again."
    )
    ANSWER_REFUSED = "answer_refused", N_("The server did not take your answer: “{said}”")

    # Servers that are not connected.
    SESSION_LOST = "session_lost", N_("The connection to {where} was lost.")
    SESSION_UNKNOWN = "session_unknown", N_("{where} no longer knows the session; it was restarted.")
    MESSAGE_TOO_LARGE = "message_too_large", N_(
        "The connection was closed, because the server sent more than {most:,} bytes in one message, which is the "
        "limit (setting {setting})."
    )
    MESSAGE_TOO_MANY_VALUES = "message_too_many_values", N_(
        "The connection was closed, because the server sent more than {most:,} values in one message, which is the "
        "limit (setting {setting})."
    )
    TOO_MANY_REQUESTS = "too_many_requests", N_(
        "The connection was closed, because the server sent more than {most:,} requests without taking the answers, "
        "which is the limit (settings max_server_requests and max_pending)."
    )
    CONNECT_TIMEOUT = "connect_timeout", Plural(
        "{where} did not answer within {seconds} second.", "{where} did not answer within {seconds} seconds.", "seconds"
    )
    STOPPED_ANSWERING = "stopped_answering", N_("{where} stopped answering.")
    NOTHING_LISTENS = "nothing_listens", N_("Nothing is listening on port {port} of {host}. Is the server running?")
    HOST_UNKNOWN = "host_unknown", N_("The host “{host}” was not found. Check the spelling.")
    ADDRESS_FORBIDDEN = "address_forbidden", N_(
        "{host} was not found, or is in an internal network, where servers that users add are not allowed. Check the "
        "spelling, or ask an administrator to allow the network (--server-network)."
    )
    CERTIFICATE_INVALID = "certificate_invalid", N_(
        "The certificate of {host} is not trusted: {error}. If you trust its issuer, start mcp-webclient with "
        "--ca-file and a PEM file that has this certificate or that of its authority. Otherwise check the address."
    )
    NOT_HTTPS = "not_https", N_("Port {port} of {host} does not speak HTTPS. Does the address start with http://?")
    UNREACHABLE = "unreachable", N_("{where} cannot be reached: {error}. Is the server running?")
    CONNECTION_REFUSED = "connection_refused", N_("{where} refused the connection: {error}.")
    LIST_REFUSED = "list_refused", N_("{where} is connected, but did not give its list: {error}.")
    CONNECTION_FAILED = "connection_failed", N_("The connection to {where} failed: {error}.")
    ERA_MISMATCH = "era_mismatch", N_(
        "{where} speaks protocol version {spoken}, but its setting is {wanted}. Choose “Auto-detect” in its settings."
    )
    ERA_REFUSED = "era_refused", N_(
        "{label} could not be connected with {era}, so nothing was run again. "
        "Its earlier protocol version was restored."
    )
    NOT_AN_MCP_MESSAGE = "not_an_mcp_message", N_("{where} sent JSON that is not an MCP message. Check the address.")
    NOT_MCP = "not_mcp", N_("{where} sent a response that is not MCP. Check the address.")
    FOLDER_UNUSABLE = "folder_unusable", N_("The working folder “{folder}” cannot be used: {error}.")
    COMMAND_NOT_FOUND = "command_not_found", N_(
        "The command “{command}” was not found. Install it, or correct it in the config file."
    )
    COMMAND_FAILED = "command_failed", N_("The command “{command}” cannot be run: {error}.")
    PROCESS_ENDED = "process_ended", N_(
        "The server ended before it was ready. Its command: {command}. Its last output: {output}"
    )
    PROCESS_ENDED_SILENTLY = "process_ended_silently", N_(
        "The server ended before it was ready, without any output. Its command: {command}."
    )
    PROCESS_NOT_READY = "process_not_ready", Plural(
        "The server runs, but did not answer within {seconds} second (WEBCLIENT_CONNECT_SECONDS). "
        "Its command: {command}. Its last output: {output}",
        "The server runs, but did not answer within {seconds} seconds (WEBCLIENT_CONNECT_SECONDS). "
        "Its command: {command}. Its last output: {output}",
        "seconds",
    )
    PROCESS_NOT_READY_SILENT = "process_not_ready_silent", Plural(
        "The server runs, but did not answer within {seconds} second (WEBCLIENT_CONNECT_SECONDS), and had no output. "
        "Its command: {command}.",
        "The server runs, but did not answer within {seconds} seconds (WEBCLIENT_CONNECT_SECONDS), and had no output. "
        "Its command: {command}.",
        "seconds",
    )
    CONFIG_INVALID = "config_invalid", N_("{error} Correct it, then reload the configuration or restart mcp-webclient.")
    SECRETS_LOST = "secrets_lost", N_(
        "Stored secrets of this server cannot be read, because their key is missing: {names}. Enter them again in its "
        "settings, or restore the key and restart mcp-webclient."
    )
    SERVER_SAID = "server_said", N_("It said: {words}")

    # HTTP answers in place of a session.
    HTTP_UNEXPECTED = "http_unexpected", N_("{where} is not an MCP server (HTTP {status}). Check the address.")
    HTTP_REDIRECT = "http_redirect", N_(
        "{where} redirects to {location} (HTTP {status}). Use that address if you trust it."
    )
    HTTP_TOKEN_REJECTED = "http_token_rejected", N_(
        "{where} rejected the Authorization header (HTTP {status}). The token may be wrong or expired: replace it, "
        "then connect again."
    )
    HTTP_OAUTH_REQUIRED = "http_oauth_required", N_("{where} wants you to sign in (HTTP {status}).")
    HTTP_UNAUTHORIZED = "http_unauthorized", N_(
        "{where} requires a token (HTTP {status}). Add an Authorization header with a token of this server."
    )
    HTTP_WEB_PAGE = "http_web_page", N_(
        "{where} is a website, not an MCP server (HTTP {status}). The path of an MCP server often ends in /mcp or /sse."
    )
    HTTP_OTHER_CONTENT = "http_other_content", N_(
        "{where} sent {kind}, which is not MCP (HTTP {status}). Check the address."
    )
    HTTP_UNNAMED_CONTENT = "http_unnamed_content", N_(
        "{where} sent content of no declared type, which is not MCP (HTTP {status}). Check the address."
    )
    HTTP_BAD_REQUEST = "http_bad_request", N_(
        "{where} did not understand the request (HTTP {status}). Check the address, the transport and the headers."
    )
    HTTP_FORBIDDEN = "http_forbidden", N_(
        "{where} denied access (HTTP {status}). Check that your token may use this server. A server on this machine "
        "may also refuse the host name in the address."
    )
    HTTP_NOT_FOUND = "http_not_found", N_(
        "{where} has no MCP server at this path (HTTP {status}). Try the path /mcp, or /sse for an older server."
    )
    HTTP_METHOD_NOT_ALLOWED = "http_method_not_allowed", N_(
        "{where} has no MCP server at this path (HTTP {status}). Check the path and the transport; an older server may "
        "need HTTP+SSE."
    )
    HTTP_NOT_ACCEPTABLE = "http_not_acceptable", N_(
        "{where} does not support this transport (HTTP {status}). Choose another transport."
    )
    HTTP_PROXY_SIGN_IN = "http_proxy_sign_in", N_("A proxy on the way to {where} requires sign-in (HTTP {status}).")
    HTTP_TOO_MANY_REQUESTS = "http_too_many_requests", N_(
        "{where} received too many requests (HTTP {status}). Wait a while, then connect again."
    )
    HTTP_INTERNAL_SERVER_ERROR = "http_internal_server_error", N_(
        "The server at {where} failed (HTTP {status}). Its log may say why; connect again later."
    )
    HTTP_BAD_GATEWAY = "http_bad_gateway", N_(
        "A proxy did not reach the server at {where} (HTTP {status}). Is the server running?"
    )
    HTTP_SERVICE_UNAVAILABLE = "http_service_unavailable", N_(
        "The server at {where} is not available now (HTTP {status}). Is it running? Connect again later."
    )
    HTTP_GATEWAY_TIMEOUT = "http_gateway_timeout", N_(
        "A proxy got no response from the server at {where} (HTTP {status}). Connect again later."
    )
    HTTP_CLIENT_ERROR = "http_client_error", N_(
        "{where} refused the request (HTTP {status}). Check the address and the headers."
    )
    HTTP_SERVER_ERROR = "http_server_error", N_("The server at {where} failed (HTTP {status}). Connect again later.")

    # Notes on lists.
    LIST_TOO_LONG = "list_too_long", N_(
        "{list}: only the first {n:,} are listed, which is the limit (setting max_catalog_entries)."
    )
    LIST_TOO_LARGE = "list_too_large", N_(
        "{list}: only the first {n:,} are listed, because all of them exceed the limit (setting max_catalog_bytes)."
    )
    LIST_ENTRIES_INVALID = "list_entries_invalid", Plural(
        "{list}: {n} entry is left out, because it is not described as MCP demands: {names}.",
        "{list}: {n} entries are left out, because they are not described as MCP demands: {names}.",
    )
    TOOL_NAMES_IRREGULAR = "tool_names_irregular", Plural(
        "{list}: {n} name breaks MCP’s rules (1 to 128 characters of A–Z, a–z, 0–9, “_”, “-” and “.”): {names}. "
        "You can run the tool here; other programs may refuse it.",
        "{list}: {n} names break MCP’s rules (1 to 128 characters of A–Z, a–z, 0–9, “_”, “-” and “.”): {names}. "
        "You can run these tools here; other programs may refuse them.",
    )
    TOOL_NAMES_REPEATED = "tool_names_repeated", Plural(
        "{list}: {n} name is used more than once: {names}. The server decides which of these tools runs.",
        "{list}: {n} names are used more than once: {names}. The server decides which of these tools runs.",
    )

    # Faults of the storage.
    FOLDER_UNWRITABLE = "folder_unwritable", N_(
        "The data folder cannot be written ({error}). Free some space, or make the folder writable."
    )
    DATABASE_BROKEN = "database_broken", N_("The database in the data folder cannot be used ({error}).")
    DATABASE_FULL = "database_full", N_("The disk of the database is full. An administrator has to free some space.")
    DATABASE_READ_ONLY = "database_read_only", N_("The database can only be read at the moment. Try again later.")
    DATABASE_UNREACHABLE = "database_unreachable", N_("The database cannot be reached at the moment. Try again later.")
    DATABASE_REFUSED = "database_refused", N_(
        "The database refuses this program. An administrator has to check its address, user, password and rights."
    )
    DATABASE_UNUSABLE = "database_unusable", N_("The database cannot be used at the moment. Try again later.")
    DATABASE_IN_USE = "database_in_use", N_("The database is in use by another mcp-webclient. Stop that one first.")
    NODE_IN_USE = "node_in_use", N_(
        "Another process with the same --node-url shares the database. Give each its own, or stop that one first."
    )
    NODES_DIFFER = "nodes_differ", N_(
        "The nodes that share this database seal secrets with another key. Give all the same WEBCLIENT_SECRET_KEYS."
    )
    DATABASE_TAKEN_OVER = "database_taken_over", N_(
        "Another mcp-webclient has used the database since the connection to it was lost. Restart this program."
    )
    DATABASE_NOT_READY = "database_not_ready", N_(
        "The database {name} could not be prepared, and is unchanged: {error}. Let this user write to it, or choose "
        "another database."
    )
    DISK_TOO_SLOW = "disk_too_slow", N_("{n:,} changes are already waiting for the disk. Try again when it is faster.")
    PROGRAM_ENDING = "program_ending", N_("This program is ending.")
    ANSWER_NOT_STORED = "answer_not_stored", N_(
        "Your answer was not stored, so it was not sent. {reason} Your text is still here: send it again when this is "
        "fixed."
    )

    # Sign-ins that were not completed.
    SIGN_IN_REQUIRED = "sign_in_required", N_(
        "You are not signed in to this server. Sign in on the page of the server."
    )
    SIGN_IN_UNKNOWN = "sign_in_unknown", N_("This sign-in is not known here. Begin again on the page of the server.")
    SIGN_IN_USED = "sign_in_used", N_("This sign-in was already completed, perhaps in another tab.")
    SIGN_IN_EXPIRED = "sign_in_expired", N_("The sign-in was not completed within an hour. Begin again.")
    SIGN_IN_OTHER_USER = "sign_in_other_user", N_(
        "Another user began this sign-in. Begin your own on the page of the server."
    )
    SIGN_IN_OTHER_BROWSER = "sign_in_other_browser", N_(
        "This sign-in began in another browser. Finish it there, or begin again here."
    )
    SIGN_IN_DISMISSED = "sign_in_dismissed", N_("You dismissed the sign-in. To use the server, sign in on its page.")
    SIGN_IN_REMOVED = "sign_in_removed", N_("The server of this sign-in was removed.")
    SIGN_IN_DENIED = "sign_in_denied", N_("{issuer} reports that access was denied. To use the server, sign in again.")
    SIGN_IN_ERROR = "sign_in_error", N_("{issuer} ended the sign-in with the error “{error}”. Sign in again.")
    SIGN_IN_NO_CODE = "sign_in_no_code", N_("{issuer} sent you back without a code. Sign in again.")
    SIGN_IN_OTHER_ISS = "sign_in_other_iss", N_(
        "The answer did not come from {issuer}, so it was ignored: another authorization server may have tried to "
        "intercept the sign-in. Sign in again."
    )
    SIGN_IN_MISSING_ISS = "sign_in_missing_iss", N_(
        "The answer does not name {issuer} as its sender, although {issuer} promises to, so it was "
        "ignored. Sign in again."
    )
    SIGN_IN_FAILED = "sign_in_failed", N_("The sign-in failed because of an error in mcp-webclient. Its log says more.")

    # Servers that cannot be signed in to.
    SIGN_IN_OTHER_RESOURCE = "sign_in_other_resource", N_(
        "The server claims to be {resource}, which is another address. A token for it could be misused, so the sign-in "
        "was stopped. Check the address of the server."
    )
    SIGN_IN_NO_SERVER = "sign_in_no_server", N_(
        "{where} requires sign-in but names no authorization server. Ask its operator, or add an Authorization header."
    )
    SIGN_IN_NO_METADATA = "sign_in_no_metadata", N_(
        "The authorization server {issuer} has no usable metadata. These were tried: {tried}. Ask the operator of the "
        "server."
    )
    SIGN_IN_NO_ENDPOINT = "sign_in_no_endpoint", N_(
        "The metadata of {issuer} has no “{name}”, so sign-in is not possible. Ask the operator of the server."
    )
    SIGN_IN_OTHER_ISSUER = "sign_in_other_issuer", N_(
        "The metadata of {issuer} names another issuer, {other}, so the sign-in was stopped. If your provider "
        "documents this, allow it in the settings of the server."
    )
    SIGN_IN_NO_PKCE = "sign_in_no_pkce", N_(
        "{issuer} does not announce PKCE (S256), which protects the sign-in, so it was stopped. If your provider "
        "documents that it supports PKCE, allow this in the settings of the server."
    )
    SIGN_IN_FORBIDDEN_ADDRESS = "sign_in_forbidden_address", N_(
        "The server led to {host}, which was not found, or is in a network that it must not reach through this "
        "program. Nothing was sent."
    )
    SIGN_IN_NOT_HTTPS = "sign_in_not_https", N_(
        "The sign-in would lead to {url}, which is not an https address. Nothing was sent. Ask the "
        "operator of the server."
    )
    SIGN_IN_UNAVAILABLE = "sign_in_unavailable", N_("{where} fails at present (HTTP {status}). Try again later.")
    SIGN_IN_TIMEOUT = "sign_in_timeout", N_("{where} did not answer in time. Try again later.")
    SIGN_IN_UNREACHABLE = "sign_in_unreachable", N_("{where} cannot be reached. Check the network, then try again.")
    SIGN_IN_ANSWER_UNUSABLE = "sign_in_answer_unusable", N_(
        "{where} sent an answer that is too large or compressed, so it was not read. Ask the operator of the server."
    )

    # Authorization servers that do not know this program.
    SIGN_IN_NO_REGISTRATION = "sign_in_no_registration", N_(
        "{issuer} does not let programs register themselves. Register mcp-webclient there with the redirect URI "
        "{redirect_uri}, then enter its client ID in the settings of the server."
    )
    SIGN_IN_REGISTRATION_REFUSED = "sign_in_registration_refused", N_(
        "{issuer} refused to register this program (HTTP {status}: {error}). Register it there by hand with the "
        "redirect URI {redirect_uri}, then enter its client ID in the settings of the server."
    )
    SIGN_IN_REGISTRATION_UNUSABLE = "sign_in_registration_unusable", N_(
        "{issuer} registered this program with a “{name}” that it cannot use. Register it there by hand with the "
        "redirect URI {redirect_uri}, then enter its client ID in the settings of the server."
    )
    SIGN_IN_CLIENT_OF_OTHER_ISSUER = "sign_in_client_of_other_issuer", N_(
        "The client ID in the settings of the server belongs to {configured}, but the server now names {issuer}. The "
        "client ID was not sent there. If the change is right, correct the settings."
    )
    SIGN_IN_CLIENT_UNKNOWN = "sign_in_client_unknown", N_(
        "{issuer} does not accept this program's client ID. Sign in again to register again, or correct the client ID "
        "and secret in the settings of the server."
    )
    SIGN_IN_REGISTERED_OFTEN = "sign_in_registered_often", N_(
        "mcp-webclient has registered {n} times with {issuer} within an hour, which is the limit. The provider may "
        "lose its clients: ask its operator, or register by hand in the settings of the server."
    )
    SIGN_IN_NOT_REGISTERED = "sign_in_not_registered", N_(
        "The client ID of this sign-in was not registered by mcp-webclient. Correct it in the settings of the server."
    )
    SIGN_IN_KEY_UNUSABLE = "sign_in_key_unusable", N_(
        "The private key in the settings of the server cannot be used. Enter a PEM key for ES256 or RS256."
    )
    SIGN_IN_NO_PROOF = "sign_in_no_proof", N_(
        "The server accepts only tokens that are bound to a key (DPoP), and {issuer} does not announce {algorithm} for "
        "that. Ask the operator of the server."
    )
    SIGN_IN_NO_ASSERTION = "sign_in_no_assertion", N_(
        "No assertion of the workload could be read from {where}. Check the settings of the server in the config file."
    )
    SIGN_IN_ASSERTION_ENDED = "sign_in_assertion_ended", N_(
        "The assertion of the workload has expired. Its platform has to renew it."
    )
    SIGN_IN_ASSERTION_OF_OTHER = "sign_in_assertion_of_other", N_(
        "The assertion of the workload is not meant for {issuer}, so it was not sent there. Its audience has to be the "
        "issuer or its token endpoint."
    )
    SIGN_IN_NOT_CONFIGURED = "sign_in_not_configured", N_(
        "The settings of the server lack “{name}”, which its sign-in needs. Add it."
    )

    SIGN_IN_COMPANY_DENIED = "sign_in_company_denied", N_(
        "Your company does not open this server to you: {where} says “{error}”. Ask your administrator for access."
    )
    SIGN_IN_COMPANY_AGAIN = "sign_in_company_again", N_(
        "Your company opens this server with your sign-in at {where}, which has ended or was not made there. Sign in "
        "to mcp-webclient again."
    )

    # Tokens.
    SIGN_IN_REFUSED = "sign_in_refused", N_("{issuer} refused to give a token (error “{error}”). Sign in again.")
    SIGN_IN_NO_TOKEN = "sign_in_no_token", N_("{issuer} gave no valid token (HTTP {status}). Sign in again.")
    SIGN_IN_OTHER_TOKEN = "sign_in_other_token", N_(
        "{issuer} gave a token of the type “{kind}”, which MCP does not use. Ask the operator of the server."
    )
    SIGN_IN_TOKEN_REJECTED = "sign_in_token_rejected", N_(
        "The server does not accept the token that {issuer} gave for {resource}. Its operator has to correct this; "
        "signing in again may not help."
    )
    SIGN_IN_SCOPE_LIMIT = "sign_in_scope_limit", N_(
        "The server keeps asking for the permission “{scope}”, although you signed in for it. Sign in on the page of "
        "the server with an account that has this permission."
    )
    SIGN_IN_NOT_REVOKED = "sign_in_not_revoked", N_(
        "{issuer} did not revoke the token (HTTP {status}), which was deleted here. It ends by itself."
    )

    # Requests for a message that did not go to a model.
    SAMPLING_NO_MODEL = "sampling_no_model", N_("No model is configured, so write the message yourself.")
    SAMPLING_BUSY = "sampling_busy", N_("A model is working on this message. Stop it first.")
    SAMPLING_OTHER_KIND = "sampling_other_kind", N_("This question does not ask for a message from a model.")
    SAMPLING_NOT_REVIEWED = "sampling_not_reviewed", N_("The model has not written a message that you could change.")
    SAMPLING_INTERRUPTED = "sampling_interrupted", N_(
        "mcp-webclient was stopped while the model was working. Run it again."
    )
    SAMPLING_FAILED = "sampling_failed", N_(
        "The model gave no message that can be used. Run it again, or write one yourself."
    )
    SAMPLING_TURN_LIMIT = "sampling_turn_limit", Plural(
        "This conversation has had {n} turn, which is your limit for this server.",
        "This conversation has had {n} turns, which is your limit for this server.",
    )
    SAMPLING_REQUEST_LIMIT = "sampling_request_limit", Plural(
        "This server has used a model {n} time today, which is your limit. Raise it in the permissions of the server, "
        "or write the message yourself.",
        "This server has used a model {n} times today, which is your limit. Raise it in the permissions of the server, "
        "or write the message yourself.",
    )
    SAMPLING_TOKEN_LIMIT = "sampling_token_limit", N_(
        "This may take {wanted:,} tokens, and the server has used {used:,} of the {most:,} that you allow for a day. "
        "Lower the limit of the message, or raise that of the server."
    )
    SAMPLING_COST_LIMIT = "sampling_cost_limit", N_(
        "This may cost {wanted} {currency}, and the server has used {used} of the {most} that you allow for a day. "
        "Lower the limit of the message, or raise that of the server."
    )

    # Why a model was chosen.
    MODEL_ONLY = "model_only", N_("This is the only model.")
    MODEL_FIRST = "model_first", N_("The server has no preference, so this is the first model of the list.")
    MODEL_FIRST_NOT_HINTS = "model_first_not_hints", N_(
        "The server suggests “{hints}”, which no model matches, so this is the first model of the list."
    )
    MODEL_BY_HINT = "model_by_hint", N_("The server suggests “{hint}”, which this model matches.")
    MODEL_BY_HINT_AND_PRIORITIES = "model_by_hint_and_priorities", N_(
        "The server suggests “{hint}”, which several models match; this one fits its priorities best."
    )
    MODEL_BY_PRIORITIES = "model_by_priorities", N_(
        "This model fits the priorities of the server best (intelligence {intelligence}%, speed {speed}%, low cost "
        "{cost}%)."
    )
    MODEL_BY_PRIORITIES_NOT_HINTS = "model_by_priorities_not_hints", N_(
        "The server suggests “{hints}”, which no model matches. This model fits its priorities best (intelligence "
        "{intelligence}%, speed {speed}%, low cost {cost}%)."
    )

    # Models that cannot be used as they are set up.
    MODEL_NOT_CONFIGURED = "model_not_configured", N_(
        "The model “{model}” is not, or no longer, configured. Choose another one."
    )
    MODEL_EXTRA_MISSING = "model_extra_missing", N_(
        "The model {model} needs a package that is not installed. Install mcp-webclient[models], then restart this "
        "program."
    )
    MODEL_KEY_MISSING = "model_key_missing", N_(
        "The model {model} needs a key, and the environment variable {variable} is not set. Set it, then restart this "
        "program."
    )
    MODEL_KEY_WANTED = "model_key_wanted", N_(
        "{host} wants a key for {model} (HTTP {status}). Name its environment variable in the models file."
    )
    MODEL_KEY_REJECTED = "model_key_rejected", N_(
        "{host} rejected the key for {model} (HTTP {status}). Correct the key."
    )
    MODEL_UNKNOWN = "model_unknown", N_(
        "{host} does not know the model “{name}” (HTTP 404). Correct its name or its address in the models file."
    )
    MODEL_REDIRECTED = "model_redirected", N_(
        "{host} redirects requests to another address (HTTP {status}), which are not followed, because they carry a "
        "key. Correct the address in the models file."
    )
    MODEL_CONTENT_UNSUPPORTED = "model_content_unsupported", N_(
        "The model {model} cannot be sent content of the type “{kind}”. Remove it from the request, or choose another "
        "model."
    )

    # Providers of models that fail.
    MODEL_UNREACHABLE = "model_unreachable", N_("{host} cannot be reached. Check that the model runs, then try again.")
    MODEL_TIMEOUT = "model_timeout", N_("{host} sent nothing for {duration}, so the request was ended. Try again.")
    MODEL_BUSY = "model_busy", N_("{host} has too many requests at present (HTTP {status}). Try again later.")
    MODEL_QUOTA_USED = "model_quota_used", N_(
        "The credit or quota at {host} is used up (HTTP {status}). Raise it there."
    )
    MODEL_REQUEST_REFUSED = "model_request_refused", N_("{host} refused the request (HTTP {status}): {words}")
    MODEL_PROVIDER_FAILED = "model_provider_failed", N_("{host} fails at present (HTTP {status}). Try again later.")

    # Answers of models that cannot be used.
    MODEL_ANSWER_UNUSABLE = "model_answer_unusable", N_(
        "{host} sent an answer that is not one of the OpenAI API. Check the address in the models file."
    )
    MODEL_ANSWER_FAILED = "model_answer_failed", N_("{host} ended its answer with an error: {words}")
    MODEL_ANSWER_CUT = "model_answer_cut", N_("The answer from {host} ended before it was complete. Try again.")
    MODEL_ANSWER_EMPTY = "model_answer_empty", N_(
        "The model {model} gave an empty answer. Try again, or choose another model."
    )
    MODEL_ANSWER_TOO_LARGE = "model_answer_too_large", N_(
        "The answer of the model {model} is larger than {kilobytes} kB, so the request was ended."
    )
    MODEL_ANSWER_FILTERED = "model_answer_filtered", N_("{host} withheld the answer because of its content filter.")
    MODEL_LIMIT_TOO_LOW = "model_limit_too_low", N_(
        "The model {model} reached the most tokens allowed before it said anything. Allow more tokens, or choose "
        "another model."
    )
    MODEL_TOOL_NOT_ALLOWED = "model_tool_not_allowed", N_(
        "The model {model} used the tool “{tool}”, although the request allows none. Try again, or choose another "
        "model."
    )
    MODEL_ARGUMENTS_CUT = "model_arguments_cut", N_(
        "The model {model} reached the most tokens allowed within the arguments of the tool “{tool}”. Allow more "
        "tokens."
    )
    MODEL_ARGUMENTS_INVALID = "model_arguments_invalid", N_(
        "The model {model} used the tool “{tool}” with arguments that are not a JSON object. Try again."
    )
    MODEL_HAS_NO_REPLY = "model_has_no_reply", N_("The script of the model {model} has no answer to this conversation.")

    # fmt: on


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
