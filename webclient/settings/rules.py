"""The rules for hosts, networks and addresses in settings: what would let a stranger in is refused with a sentence."""

from __future__ import annotations

import re
import ssl
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?", re.ASCII)
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9_.-]*)(?::[0-9]{1,5})?/?", re.ASCII | re.IGNORECASE)
_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+", re.ASCII)
_HEADER = re.compile(r"[a-z0-9-]{1,100}", re.ASCII | re.IGNORECASE)
_SIGN_OUT = re.compile(r"(?:/(?![/\\])|https://[a-z0-9])[!-~]*", re.ASCII | re.IGNORECASE)

_ISSUER_PATH = re.compile(r"[A-Za-z0-9/._~%:@!$&'()*+,;=-]*", re.ASCII)

DISCOVERY = "/.well-known/openid-configuration"
"""The end of the address at which an OpenID provider describes itself (OpenID Connect Discovery 1.0, section 4)."""


def is_loopback(host: str) -> bool:
    """Return whether `host` (a name, or an address without brackets) can only mean this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def checked_host(given: str) -> str:
    """Return a host name or address in lower case. Raises ValueError."""
    name = given.lower().removeprefix("[").removesuffix("]")
    try:
        return str(ip_address(name))
    except ValueError:
        pass
    # A wildcard would let a name that someone else controls through, which is what the list is there to stop.
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"The allowed host {given!r} is not a name: write one host without scheme, port or *, such as "
            "box.example.com."
        )
    return name


def checked_network(given: str) -> str:
    """Return an address or network as Python writes it. Raises ValueError."""
    try:
        return str(ip_network(given))
    except ValueError:
        # No "*": everybody could then name the address that wrong tokens are counted for.
        raise ValueError(
            f"{given!r} is neither an IP address nor a network: write one such as 127.0.0.1 or 10.0.0.0/8."
        ) from None


UNIX = "unix"
"""The name of the peers on the Unix socket, among the trusted proxies."""


def checked_proxy(given: str) -> str:
    """Return the address or network of a proxy, or `unix`. Raises ValueError."""
    return UNIX if given.lower() == UNIX else checked_network(given)


def checked_origin(given: str) -> str:
    """Return the origin of pages that may frame this program. Raises ValueError."""
    # It becomes part of a response header: the pattern leaves no room for a second directive.
    if (origin := _safe_origin(given)) is None:
        raise ValueError(
            f"The embed origin {given!r} may not frame this: write https://, a host and nothing "
            "after it, such as https://chat.example.com (http:// for this machine only)."
        )
    return origin


def checked_public_url(given: str) -> str:
    """Return the public address without a slash at its end; it may have a path. Raises ValueError."""
    # MCP, Authorization, Communication Security: redirect URIs are https, or of this machine.
    path = "".join(urlsplit(given)[2:3]).rstrip("/")
    origin = _safe_origin(given.rstrip("/").removesuffix(path))
    # The path becomes part of every address and of cookies: the pattern leaves no room for anything else.
    if origin is None or (path and not _PATH.fullmatch(path)):
        raise ValueError(
            f"The public URL {given!r} cannot be used: write https://, a host and at most a path, such as "
            "https://box.example.com or https://box.example.com/inbox (http:// for this machine only)."
        )
    return origin + path


def checked_node_url(given: str) -> str:
    """Return the address of a node without a slash at its end; it has no path. Raises ValueError."""
    parts = urlsplit(given.rstrip("/"))
    # Nodes are in one network, and what they say to each other is sealed where it counts, so http will do.
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query or "@" in parts.netloc:
        raise ValueError(
            f"The node URL {given!r} cannot be used: write http:// or https://, a host and a port, such as "
            "http://10.0.0.5:8765."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def checked_issuer(given: str) -> str:
    """Return the issuer of an OpenID provider, character by character as given. Raises ValueError."""
    # A slash at the end belongs to the name: it is compared with what the provider says.
    parts = urlsplit(given)
    origin = _safe_origin(f"{parts.scheme}://{parts.netloc}")
    if origin is None or not _ISSUER_PATH.fullmatch(parts.path) or parts.query or parts.fragment:
        raise ValueError(
            f"The OpenID issuer {given!r} cannot be used: write https://, a host and at most a path, such as "
            "https://id.example.com/realms/company (http:// for this machine only)."
        )
    return given


def _safe_origin(given: str) -> str | None:
    found = _ORIGIN.fullmatch(given)
    if found is None or not (found[1].lower() == "https" or is_loopback(found[2].strip("[]"))):
        return None
    return found[0].removesuffix("/").lower()


def checked_header_name(given: str) -> str:
    """Return the name of a header in lower case. Raises ValueError."""
    # Without `_`, which some web servers take for `-`: the proxy and this program must mean the same header.
    if not _HEADER.fullmatch(given):
        raise ValueError(f"{given!r} is not the name of a header: write letters, digits and -, such as Remote-User.")
    return given.lower()


def checked_sign_out_url(given: str) -> str:
    """Return the address at which users sign out. Raises ValueError."""
    if not _SIGN_OUT.fullmatch(given):
        raise ValueError(f"The sign-out URL {given!r} must be a path that begins with /, or begin with https://.")
    return given


def checked_key_address(given: str) -> str:
    """Return the address of public keys: https, or of this machine. Raises ValueError."""
    parts = urlsplit(given)
    # Who can change the keys on their way can be everybody.
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))):
        raise ValueError(f"The address of keys {given!r} must begin with https:// (http:// for this machine only).")
    return given


@cache
def read_authorities(ca_file: Path) -> str:
    """Return the certificates of authorities in a PEM file (RFC 7468). Raises ValueError.

    The file is read once, at the start: a file that is replaced while the program runs breaks no connection.
    """
    try:
        # Around the certificates there may be comments in any language.
        text = ca_file.read_bytes().decode("ascii", "ignore")
    except OSError as error:
        raise ValueError(f"The file {ca_file} with certificate authorities cannot be read: {error.strerror}.") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ValueError(
            f"The file {ca_file} has no certificate that can be used. --ca-file needs the certificates of authorities "
            "in PEM, each beginning with -----BEGIN CERTIFICATE-----."
        ) from None
    return text
