"""Findings about obfuscation: invisible characters, and text that a person reads differently from a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from ada_url import URL, URLSearchParams

from webclient.content.links import known
from webclient.content.links.findings import Finding, info, warn
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BIDI_IN_CODE = re.compile("%(?:25)*e2%(?:25)*(?:80%(?:25)*a[a-e]|81%(?:25)*a[6-9])", re.IGNORECASE)
"""The same percent-encoded, without the marks that honest links in Hebrew and Arabic contain."""

_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

_ENDS = "".join(map(chr, range(0x21)))
_DROPPED = str.maketrans("", "", "\t\n\r")
_PARTS = re.compile(r"(?:([a-zA-Z][a-zA-Z0-9+.\-]*):)?([/\\]*)([^/\\?#]*)(.*)", re.DOTALL)
_PORT = re.compile(r":\d*\Z")

_NAME = r"(?:[\w\-]+\.)+[a-z]{2,}(?=[/?#:&\\]|\Z)"
_SECOND_HOST = re.compile(rf"[?#][^/?#=&]*@|[?#]\.?{_NAME}|/[?#]@{_NAME}", re.IGNORECASE)
_LIKE_A_HOST = re.compile(r"\w\.\w|:\d+\Z|[/\\\u2044\u2215\u29f8\uff0f]|%[25]")

_CODED = r"(?:[/\\]|%(?:25)*(?:2f|5c))"
_NESTED = re.compile(rf"https?(?::|%(?:25)*3a){_CODED}{{2}}|(?<==){_CODED}{{2}}", re.IGNORECASE)
_IN_PATH = re.compile(rf"/https?(?::|%(?:25)*3a){_CODED}{{1,2}}([^/\\?#].*?)(?=/https?:|\Z)", re.IGNORECASE)
_ACCELERATED = re.compile(rf"/(?:amp|c)/(?:s/)?({_NAME})", re.IGNORECASE)
SHOWN = 100
"""Characters of the text before an @ that a message repeats."""

_TRIES = 10
_DEPTH = 3
_LOOK_AHEAD = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The text of a link, split where browsers split it; `lead` is the part between scheme and name."""

    text: str
    scheme: str
    lead: str
    userinfo: str
    host: str
    rest: str


def read(text: str) -> Written:
    """Split `text` into its parts as a browser does (WHATWG URL, basic URL parser)."""
    # Browsers strip both ends and drop these three characters anywhere, which misleads a reader of the text.
    stripped = text.strip(_ENDS).translate(_DROPPED)
    scheme, lead, authority, rest = re.fullmatch(_PARTS, stripped).groups()  # type: ignore[union-attr]  # fits all
    userinfo, at, host = authority.rpartition("@")
    name = host if host.endswith("]") else _PORT.sub("", host)
    return Written(text=text, scheme=(scheme or "").lower(), lead=lead, userinfo=userinfo + at, host=name, rest=rest)


def hidden(wrote: Written) -> Iterator[Finding]:
    """Yield findings about invisible or encoded characters."""
    if _CONTROL.search(wrote.text):
        yield warn("control-chars", _("The link contains invisible control characters."))
    if _BIDI.search(wrote.text) or _BIDI_IN_CODE.search(wrote.rest):
        message = _(
            "The link contains characters that reverse the direction of text, so it may look like a different address."
        )
        yield warn("bidi", message)
    if _ZERO_WIDTH.search(wrote.text):
        # Harmless in a path: the browser encodes them, and some languages need them.
        found = warn if _ZERO_WIDTH.search(wrote.userinfo + wrote.host) else info
        yield found("zero-width", _("The link contains invisible characters of zero width."))
    if "\\" in wrote.text:
        found = warn if "\\" in wrote.lead or wrote.rest.startswith("\\") else info
        message = _("The link contains a backslash (\\). Your browser reads it as a slash; other programs do not.")
        yield found("backslash", message)
    if "%" in wrote.host:
        yield warn("encoded-host", _("The host name is percent-encoded, which hides the real name."))


def misleading(wrote: Written, *, hostname: str, host: str, readable: str) -> Iterator[Finding]:
    """Yield findings about text that seems to lead elsewhere than to `host`."""
    reads_otherwise = _reads_otherwise(wrote, hostname, readable)
    message = _("The address looks like another one, but it opens {host}.").format(host=host)
    if wrote.userinfo:
        message = _("It starts with “{decoy}”, but it opens {host}.")
        # The same sentence for both findings: it is said once.
        message = message.format(decoy=visible(wrote.userinfo.removesuffix("@"), SHOWN), host=host)
        yield warn("userinfo", message)
    if reads_otherwise:
        yield warn("raw-differs", message)
    elif wrote.host.lower() != hostname:
        yield info("raw-differs", _("Your browser writes the host name as {host}.").format(host=host))


def nested(query: str, fragment: str) -> set[str]:
    """Return the hosts of the first addresses in a query or fragment, also encoded ones."""
    text = query + fragment
    starts = [found.start() for _n, found in zip(range(_TRIES), _NESTED.finditer(text), strict=False)]
    return {host for start in starts if (host := _host_of(text[start : start + _LOOK_AHEAD].partition("&")[0]))}


def nested_in_path(path: str) -> set[str]:
    """Return the hosts of addresses in a path, full ones and those of `/amp/s/HOST/`."""
    whole = {host for found in _IN_PATH.finditer(path) if (host := _host_of(f"https://{found[1][:_LOOK_AHEAD]}"))}
    return whole | {found[1].lower() for found in _ACCELERATED.finditer(path)}


def _reads_otherwise(wrote: Written, hostname: str, readable: str) -> bool:
    spoken = normalize("NFC", wrote.host.lower())
    return (
        wrote.lead != "//"
        or wrote.rest.startswith("\\")
        or wrote.host not in wrote.text
        or spoken not in (hostname, readable)
        or bool(_SECOND_HOST.match(wrote.rest))
        or _is_like_a_host(wrote.userinfo)
    )


def _is_like_a_host(userinfo: str) -> bool:
    text = userinfo.removesuffix("@").lower()
    return bool(_LIKE_A_HOST.search(text)) or any(name in text for name in known.NAMES)


def _host_of(value: str) -> str:
    for _n in range(_DEPTH):
        try:
            return URL(f"https:{value}" if value.startswith(("/", "\\")) else value).host
        except ValueError:
            value = URLSearchParams(f"value={value}").get("value")
    return ""
