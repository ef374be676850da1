"""From the text that a server sent to the address that the browser will open, its parts, and what is found in it.

Parsed by WHATWG's rules, as browsers do; `urllib` names another host than they open in a third of hostile cases.
Nothing is fetched or resolved, and the cost is linear in at most `MAX_LENGTH` characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from ada_url import URL

from webclient.consent import destination, hosts, imitations, lookalikes, obfuscation
from webclient.consent.findings import Finding, Severity, block, info, warn
from webclient.consent.obfuscation import Written
from webclient.i18n import gettext as _
from webclient.visible_text import visible

MAX_LENGTH = 65_536
"""Characters; a person cannot examine more, and servers take far less."""

LONG = 2_000
"""Characters from which on the end of an address is easily overlooked."""

SHOWN = 100
"""Characters of what the server wrote that a message repeats."""

_BLANK = re.compile(r"\s")
_ORDER = list(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link as a server sent it (`raw`), and as the browser would open it.

    `href` is the canonical URL, "" if there is none. `host` has the port if it is obfuscation, `hostname` never;
    `readable` is the hostname in its own letters. `site` is the part of the hostname that somebody registered, and
    the whole of it where nobody does. The parts are as in WHATWG's URL class: `scheme` without the colon, `query` and
    `fragment` with their marks.
    """

    raw: str
    href: str = ""
    scheme: str = ""
    userinfo: str = ""
    host: str = ""
    hostname: str = ""
    readable: str = ""
    site: str = ""
    port: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def blocked(self) -> bool:
        """Whether it must not be opened at all."""
        return bool(self.of(Severity.BLOCK))

    @property
    def differs(self) -> bool:
        """Whether the browser opens another text than the one that was sent, but for the slash of an empty path."""
        return self.raw not in (self.href, self.href.removesuffix("/"))

    @property
    def spelled(self) -> str:
        """What was sent, with all that cannot be seen written out; cut off if it is longer than what is opened."""
        return visible(_BLANK.sub(_spell, self.raw[: MAX_LENGTH + 1]), MAX_LENGTH)

    @property
    def emphasised(self) -> tuple[str, str, str]:
        """The canonical URL in three parts; the one in the middle is the site."""
        before = f"{self.scheme}://" + (f"{self.userinfo}@" if self.userinfo else "")
        at = len(before) + len(self.hostname.rstrip(".")) - len(self.site)
        end = at + len(self.site)
        return self.href[:at], self.href[at:end], self.href[end:]

    def of(self, severity: str) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)


def analyse(url: str, *, server_url: str | None = None, opened: Collection[str] | None = None) -> Link:
    """Return what there is to know of `url` before it is opened; never raises.

    `server_url` is where the MCP server that sent it is reached, None for one that runs on this machine. `opened` are
    the sites that this user opened for this server before, None if that is not known.
    """
    if len(url) > MAX_LENGTH:
        return Link(raw=url, findings=(_too_long(url),))
    # As browsers do: half of a surrogate pair is no character (Infra, convert to a scalar value string).
    text = url.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    wrote = obfuscation.read(text)
    link = _parsed(url, text)
    found = list(_blocking(link, wrote))
    if not found:
        server = _parsed(server_url, server_url) if server_url else None
        found += _about(link, wrote, server, opened)
    found += obfuscation.hidden(wrote)
    return replace(link, findings=tuple(sorted(found, key=lambda each: _ORDER.index(each.severity))))


def site_of(url: str) -> str:
    """Return the site that `url` leads to, or "" if it leads to none."""
    return _parsed(url, url).site if len(url) <= MAX_LENGTH else ""


def _parsed(raw: str, text: str) -> Link:
    try:
        parsed = URL(text)
    except ValueError:
        return Link(raw=raw)
    if not all(map(hosts.is_valid, parsed.hostname.split("."))):
        # Browsers let it through, and then look up a name that no registry gives out (UTS #46, validity criteria).
        return Link(raw=raw)
    userinfo = parsed.username + (f":{parsed.password}" if parsed.password else "")
    return Link(
        raw=raw,
        href=parsed.href,
        scheme=parsed.protocol.removesuffix(":"),
        userinfo=userinfo,
        host=parsed.host,
        hostname=parsed.hostname,
        readable=hosts.readable(parsed.hostname),
        site=hosts.site(parsed.hostname),
        port=parsed.port,
        path=parsed.pathname,
        query=parsed.search,
        fragment=parsed.hash,
    )


def _blocking(link: Link, wrote: Written) -> Iterator[Finding]:
    scheme = link.scheme or wrote.scheme
    if not scheme:
        yield block("no-scheme", _("This is no full address: it does not begin with https://."))
    elif scheme not in ("http", "https"):
        message = _("This is no web page: it begins with “{scheme}:”. Only https and http are opened from here.")
        yield block("scheme", message.format(scheme=visible(scheme, SHOWN)))
    elif not link.href:
        message = _("No browser can open this: “{host}” is no name of a site, or the port behind it is none.")
        yield block("invalid", message.format(host=visible(wrote.host, SHOWN)))
        if "xn--" in wrote.host.lower():
            yield warn("punycode", _("The name begins with “xn--” like one in other letters, and stands for none."))
    elif hosts.has_joiner(link.readable):
        yield block("joiner", _("The name of the site holds a character that cannot be seen."))


def _too_long(url: str) -> Finding:
    message = _("This address has {n} characters. Nobody can examine that, and more than {max} are not opened.")
    return block("very-long", message.format(n=len(url), max=MAX_LENGTH))


def _about(link: Link, wrote: Written, server: Link | None, opened: Collection[str] | None) -> Iterator[Finding]:
    yield from obfuscation.misleading(wrote, hostname=link.hostname, host=link.host, readable=link.readable)
    familiar = [*(opened or ()), *([server.site] if server and server.site else [])]
    yield from lookalikes.findings(link.readable, link.hostname, link.site, familiar=familiar)
    yield from imitations.findings(link.hostname, link.readable, link.site, familiar=familiar)
    yield from destination.findings(
        scheme=link.scheme, hostname=link.hostname, port=link.port, server=server.hostname if server else None
    )
    yield from _about_the_site(link, server, opened)
    yield from _about_the_rest(link)


def _about_the_site(link: Link, server: Link | None, opened: Collection[str] | None) -> Iterator[Finding]:
    if server and server.site not in ("", link.site) and not _both_here(link, server):
        message = _("It leads to {site}; the server itself is reached at {server}.")
        yield info("host-differs-from-server", message.format(site=link.site, server=server.site))
    if opened is not None and link.site not in opened:
        message = _("You have not opened {site} for this server before.")
        yield info("first-time-domain", message.format(site=link.site))


def _spell(blank: re.Match[str]) -> str:
    return f"⟦U+{ord(blank[0]):04X}⟧"


def _about_the_rest(link: Link) -> Iterator[Finding]:
    for host in sorted(obfuscation.nested(link.query, link.fragment)):
        message = _("It carries another address in it, on {host}. The page may send you on to that.")
        yield info("nested-url", message.format(host=host))
    for host in sorted(obfuscation.nested_in_path(link.path)):
        message = _("The path contains another address, on {host}. The page may send you on to it.")
        yield warn("nested-url", message.format(host=host))
    if len(link.href) > LONG:
        message = _("It is very long: {n} characters. What counts is the site, {site}.")
        yield info("very-long", message.format(n=len(link.href), site=link.site))


def _both_here(link: Link, server: Link) -> bool:
    return hosts.is_loopback(link.hostname) and hosts.is_loopback(server.hostname)
