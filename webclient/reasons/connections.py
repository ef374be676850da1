"""Why servers are not connected: what happened, where, and what to try."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.model import ReasonCode
from webclient.reasons.plural import N_, Plural, Sentence

FAILED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SESSION_LOST: N_("The connection to {where} was lost."),
    ReasonCode.SESSION_UNKNOWN: N_("{where} no longer knows the session; it was restarted."),
    ReasonCode.MESSAGE_TOO_LARGE: N_(
        "The connection was closed, because the server sent more than {most:,} bytes in one message, which is the "
        "limit (setting {setting})."
    ),
    ReasonCode.MESSAGE_TOO_MANY_VALUES: N_(
        "The connection was closed, because the server sent more than {most:,} values in one message, which is the "
        "limit (setting {setting})."
    ),
    ReasonCode.TOO_MANY_REQUESTS: N_(
        "The connection was closed, because the server sent more than {most:,} requests without taking the answers, "
        "which is the limit (settings max_server_requests and max_pending)."
    ),
    ReasonCode.CONNECT_TIMEOUT: Plural(
        "{where} did not answer within {seconds} second.", "{where} did not answer within {seconds} seconds.", "seconds"
    ),
    ReasonCode.STOPPED_ANSWERING: N_("{where} stopped answering."),
    ReasonCode.UNREACHABLE: N_("Nothing answers at {where}: {error}."),
    ReasonCode.CONNECTION_REFUSED: N_("{where} refused the connection: {error}."),
    ReasonCode.CONNECTION_FAILED: N_("The connection to {where} failed: {error}."),
    ReasonCode.ERA_MISMATCH: N_("{where} speaks {spoken}, but its era is set to {wanted}. Set it to auto."),
    ReasonCode.NOT_AN_MCP_MESSAGE: N_("{where} answered with JSON that is not an MCP message. Check the address."),
    ReasonCode.NOT_MCP: N_("{where} answered with something that is not MCP."),
    ReasonCode.FOLDER_UNUSABLE: N_("The folder “{folder}” in which the server should run cannot be used: {error}."),
    ReasonCode.COMMAND_NOT_FOUND: N_(
        "The command “{command}” was not found. Install it, or correct it in the config file."
    ),
    ReasonCode.COMMAND_FAILED: N_("The command “{command}” cannot be run: {error}."),
    ReasonCode.PROCESS_ENDED: N_(
        "The server ended before it was ready. Its command: {command}. Its last output: {output}"
    ),
    ReasonCode.PROCESS_ENDED_SILENTLY: N_(
        "The server ended before it was ready, without any output. Its command: {command}."
    ),
    ReasonCode.PROCESS_NOT_READY: Plural(
        "The server runs, but did not answer within {seconds} second (WEBCLIENT_CONNECT_SECONDS). "
        "Its command: {command}. Its last output: {output}",
        "The server runs, but did not answer within {seconds} seconds (WEBCLIENT_CONNECT_SECONDS). "
        "Its command: {command}. Its last output: {output}",
        "seconds",
    ),
    ReasonCode.PROCESS_NOT_READY_SILENT: Plural(
        "The server runs, but did not answer within {seconds} second (WEBCLIENT_CONNECT_SECONDS), and had no output. "
        "Its command: {command}.",
        "The server runs, but did not answer within {seconds} seconds (WEBCLIENT_CONNECT_SECONDS), and had no output. "
        "Its command: {command}.",
        "seconds",
    ),
    ReasonCode.CONFIG_INVALID: N_("{error} Correct it, then restart mcp-webclient."),
    ReasonCode.SERVER_SAID: N_("It said: {words}"),
}

HTTP: Mapping[ReasonCode, Sentence] = {
    ReasonCode.HTTP_UNEXPECTED: N_("{where} answered with HTTP {status}; an MCP server was expected there."),
    ReasonCode.HTTP_REDIRECT: N_(
        "{where} answered {status} and redirects to {location}. Use that address if you trust it."
    ),
    ReasonCode.HTTP_TOKEN_REJECTED: N_(
        "{where} answered {status}: it did not accept the Authorization header. The token may be wrong or expired; "
        "replace it, then connect again."
    ),
    ReasonCode.HTTP_OAUTH_REQUIRED: N_(
        "{where} answered {status}: it wants you to sign in with OAuth, which is not possible here yet. If the "
        "server also takes a token, add it as an Authorization header."
    ),
    ReasonCode.HTTP_UNAUTHORIZED: N_(
        "{where} answered {status}: it wants to know who you are. Add an Authorization header with a token of this "
        "server."
    ),
    ReasonCode.HTTP_WEB_PAGE: N_(
        "{where} answered {status} with a web page, not with MCP. Check the address: it may be that of a website "
        "or a sign-in page. The path of an MCP server often ends with /mcp or /sse."
    ),
    ReasonCode.HTTP_OTHER_CONTENT: N_("{where} answered {status} with {kind}, not with MCP. Check the address."),
    ReasonCode.HTTP_UNNAMED_CONTENT: N_(
        "{where} answered {status} with content of no declared type, not with MCP. Check the address."
    ),
    ReasonCode.HTTP_BAD_REQUEST: N_(
        "{where} answered {status}: it did not understand the request. Check the address, the transport and the "
        "headers."
    ),
    ReasonCode.HTTP_FORBIDDEN: N_(
        "{where} answered {status}: it does not allow this access. Check that your token may use this server. A "
        "server on this machine may also refuse the host name of the address."
    ),
    ReasonCode.HTTP_NOT_FOUND: N_(
        "{where} answered {status}: no MCP server takes messages at this path. Check the address, which often ends "
        "with /mcp, or with /sse for the type sse."
    ),
    ReasonCode.HTTP_METHOD_NOT_ALLOWED: N_(
        "{where} answered {status}: no MCP server takes messages at this path. Check the address and the "
        "transport; an older server may need the type sse."
    ),
    ReasonCode.HTTP_NOT_ACCEPTABLE: N_(
        "{where} answered {status}: it does not speak MCP in the way that was asked for. Check the transport."
    ),
    ReasonCode.HTTP_PROXY_SIGN_IN: N_("{where} answered {status}: a proxy on the way wants you to sign in there."),
    ReasonCode.HTTP_TOO_MANY_REQUESTS: N_(
        "{where} answered {status}: it was asked too often. Wait a while, then connect again."
    ),
    ReasonCode.HTTP_INTERNAL_SERVER_ERROR: N_(
        "{where} answered {status}: the server itself failed. Its log may say why; connect again later."
    ),
    ReasonCode.HTTP_BAD_GATEWAY: N_(
        "{where} answered {status}: a proxy did not reach the server. Check that it runs; connect again later."
    ),
    ReasonCode.HTTP_SERVICE_UNAVAILABLE: N_(
        "{where} answered {status}: the server is not available now. Check that it runs; connect again later."
    ),
    ReasonCode.HTTP_GATEWAY_TIMEOUT: N_(
        "{where} answered {status}: a proxy got no answer from the server. Connect again later."
    ),
    ReasonCode.HTTP_CLIENT_ERROR: N_(
        "{where} answered {status}: it refused the request. Check the address and the headers."
    ),
    ReasonCode.HTTP_SERVER_ERROR: N_("{where} answered {status}: the server failed. Connect again later."),
}
