"""Sign-in to protected MCP servers: discovery, registration, tokens and their renewal (MCP, Authorization; OAuth 2.1).

`SignIns` is all that other rooms need: where the sign-in to a server stands, a token for each request, and what a user
does about it. A sign-in is a row and not a waiting coroutine, so that it survives a restart; there is one at most for
each user and server. `client_document` is the description of this program that authorization servers fetch.

Promises: fetches nothing from an address to which the server may not lead; refuses an authorization server without
PKCE or of another issuer; renews a token once for all connections; never logs a token, a code, a verifier or a secret.
"""

from webclient.servers.sign_in.callback import Finished
from webclient.servers.sign_in.client_document import CALLBACK_PATH, DOCUMENT_PATH, client_document, redirect_uris
from webclient.servers.sign_in.protected_server import ENTERPRISE, ProtectedServer
from webclient.servers.sign_in.sign_ins import SignIns, Started

__all__ = [
    "CALLBACK_PATH",
    "DOCUMENT_PATH",
    "ENTERPRISE",
    "Finished",
    "ProtectedServer",
    "SignIns",
    "Started",
    "client_document",
    "redirect_uris",
]
