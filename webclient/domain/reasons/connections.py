"""Why servers are not connected: what happened, where, and what to try."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Plural, Sentence

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
    ReasonCode.NOTHING_LISTENS: N_("Nothing is listening on port {port} of {host}. Is the server running?"),
    ReasonCode.HOST_UNKNOWN: N_("The host “{host}” was not found. Check the spelling."),
    ReasonCode.ADDRESS_FORBIDDEN: N_(
        "{host} was not found, or is in an internal network, where servers that users add are not allowed. Check the "
        "spelling, or ask an administrator to allow the network (--server-network)."
    ),
    ReasonCode.CERTIFICATE_INVALID: N_(
        "The certificate of {host} is not trusted: {error}. Check the host name. If a private authority has issued the "
        "certificate, an administrator can add that authority (--ca-file)."
    ),
    ReasonCode.NOT_HTTPS: N_("Port {port} of {host} does not speak HTTPS. Does the address start with http://?"),
    ReasonCode.UNREACHABLE: N_("{where} cannot be reached: {error}. Is the server running?"),
    ReasonCode.CONNECTION_REFUSED: N_("{where} refused the connection: {error}."),
    ReasonCode.LIST_REFUSED: N_("{where} is connected, but did not give its list: {error}."),
    ReasonCode.CONNECTION_FAILED: N_("The connection to {where} failed: {error}."),
    ReasonCode.ERA_MISMATCH: N_(
        "{where} speaks protocol version {spoken}, but its setting is {wanted}. Choose “Auto-detect” in its settings."
    ),
    ReasonCode.ERA_REFUSED: N_(
        "{label} could not be connected with {era}, so nothing was run again. "
        "Its earlier protocol version was restored."
    ),
    ReasonCode.NOT_AN_MCP_MESSAGE: N_("{where} sent JSON that is not an MCP message. Check the address."),
    ReasonCode.NOT_MCP: N_("{where} sent a response that is not MCP. Check the address."),
    ReasonCode.FOLDER_UNUSABLE: N_("The working folder “{folder}” cannot be used: {error}."),
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
    ReasonCode.CONFIG_INVALID: N_("{error} Correct it, then reload the configuration or restart mcp-webclient."),
    ReasonCode.SECRETS_LOST: N_(
        "Stored secrets of this server cannot be read, because their key is missing: {names}. Enter them again in its "
        "settings, or restore the key and restart mcp-webclient."
    ),
    ReasonCode.SERVER_SAID: N_("It said: {words}"),
}

HTTP: Mapping[ReasonCode, Sentence] = {
    ReasonCode.HTTP_UNEXPECTED: N_("{where} is not an MCP server (HTTP {status}). Check the address."),
    ReasonCode.HTTP_REDIRECT: N_("{where} redirects to {location} (HTTP {status}). Use that address if you trust it."),
    ReasonCode.HTTP_TOKEN_REJECTED: N_(
        "{where} rejected the Authorization header (HTTP {status}). The token may be wrong or expired: replace it, "
        "then connect again."
    ),
    ReasonCode.HTTP_OAUTH_REQUIRED: N_("{where} wants you to sign in (HTTP {status})."),
    ReasonCode.HTTP_UNAUTHORIZED: N_(
        "{where} requires a token (HTTP {status}). Add an Authorization header with a token of this server."
    ),
    ReasonCode.HTTP_WEB_PAGE: N_(
        "{where} is a website, not an MCP server (HTTP {status}). The path of an MCP server often ends in /mcp or /sse."
    ),
    ReasonCode.HTTP_OTHER_CONTENT: N_("{where} sent {kind}, which is not MCP (HTTP {status}). Check the address."),
    ReasonCode.HTTP_UNNAMED_CONTENT: N_(
        "{where} sent content of no declared type, which is not MCP (HTTP {status}). Check the address."
    ),
    ReasonCode.HTTP_BAD_REQUEST: N_(
        "{where} did not understand the request (HTTP {status}). Check the address, the transport and the headers."
    ),
    ReasonCode.HTTP_FORBIDDEN: N_(
        "{where} denied access (HTTP {status}). Check that your token may use this server. A server on this machine "
        "may also refuse the host name in the address."
    ),
    ReasonCode.HTTP_NOT_FOUND: N_(
        "{where} has no MCP server at this path (HTTP {status}). Try the path /mcp, or /sse for an older server."
    ),
    ReasonCode.HTTP_METHOD_NOT_ALLOWED: N_(
        "{where} has no MCP server at this path (HTTP {status}). Check the path and the transport; an older server may "
        "need HTTP+SSE."
    ),
    ReasonCode.HTTP_NOT_ACCEPTABLE: N_(
        "{where} does not support this transport (HTTP {status}). Choose another transport."
    ),
    ReasonCode.HTTP_PROXY_SIGN_IN: N_("A proxy on the way to {where} requires sign-in (HTTP {status})."),
    ReasonCode.HTTP_TOO_MANY_REQUESTS: N_(
        "{where} received too many requests (HTTP {status}). Wait a while, then connect again."
    ),
    ReasonCode.HTTP_INTERNAL_SERVER_ERROR: N_(
        "The server at {where} failed (HTTP {status}). Its log may say why; connect again later."
    ),
    ReasonCode.HTTP_BAD_GATEWAY: N_(
        "A proxy did not reach the server at {where} (HTTP {status}). Is the server running?"
    ),
    ReasonCode.HTTP_SERVICE_UNAVAILABLE: N_(
        "The server at {where} is not available now (HTTP {status}). Is it running? Connect again later."
    ),
    ReasonCode.HTTP_GATEWAY_TIMEOUT: N_(
        "A proxy got no response from the server at {where} (HTTP {status}). Connect again later."
    ),
    ReasonCode.HTTP_CLIENT_ERROR: N_("{where} refused the request (HTTP {status}). Check the address and the headers."),
    ReasonCode.HTTP_SERVER_ERROR: N_("The server at {where} failed (HTTP {status}). Connect again later."),
}
