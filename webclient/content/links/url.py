"""Analyses a link: the address that a browser will open for a server's text, its parts, and the findings.

Parsed by the WHATWG rules, as browsers do; `urllib` gives a different host in a third of hostile cases. Nothing is
fetched or resolved, and the cost is linear in at most `MAX_LENGTH` characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from ada_url import URL

from webclient.content.links import destination, hosts, imitations, lookalikes, obfuscation
from webclient.content.links.findings import Finding, Severity, block, info, warn
from webclient.content.links.obfuscation import Written
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

MAX_LENGTH = 65_536
"""Characters; a person cannot examine more, and servers accept far less."""

LONG = 2_000
"""Characters; the end of a longer address is easily overlooked."""

SHOWN = 100
"""Characters of the server's text that a message repeats."""

DISGUISES = frozenset(
    {
        "backslash",
        "bidi",
        "brand-in-name",
        "brand-in-path",
        "brand-subdomain",
        "confusable",
        "control-chars",
        "encoded-host",
        "mixed-script",
        "odd-character",
        "raw-differs",
        "userinfo",
        "zero-width",
    }
)
"""The codes of findings about an address that looks like another one."""

REMARKS = frozenset({"first-time-domain", "host-differs-from-server", "nested-url", "punycode"})
"""The codes of harmless findings that a person may want to know before every click."""

_BLANK = re.compile(r"\s")
_ORDER = list(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link as a server sent it (`raw`), and as the browser would open it.

    `href` is the canonical URL, "" if there is none. `host` includes a non-standard port, `hostname` never does;
    `readable` is the host name in native letters. `site` is the registered part of the host name, or all of it if there
    is none. The parts are as in WHATWG's URL class: `scheme` without colon, `query` and `fragment` with their marks.
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
        """Whether it must not be opened."""
        return bool(self.of(Severity.BLOCK))

    @property
    def differs(self) -> bool:
        """Whether the canonical URL differs from the sent text; a trailing slash does not count."""
        return self.raw not in (self.href, self.href.removesuffix("/"))

    @property
    def spelled(self) -> str:
        """The sent text with hidden characters written out, cut at `MAX_LENGTH`."""
        return visible(_BLANK.sub(_spell, self.raw[: MAX_LENGTH + 1]), MAX_LENGTH)

    @property
    def emphasised(self) -> tuple[str, str, str]:
        """The canonical URL in three parts; the middle one is the site."""
        at = self._authority + len(self.hostname.rstrip(".")) - len(self.site)
        end = at + len(self.site)
        return self.href[:at], self.href[at:end], self.href[end:]

    @property
    def parts(self) -> tuple[str, str, str, str, str]:
        """The canonical URL in five parts: beginning, pretence, rest of the host name, site, and rest.

        The pretence seems to be the site and is not: it stands before an @, or before the site in the host name.
        """
        before, site, after = self.emphasised
        start = len(self.scheme) + 3
        end = start
        if self.userinfo:
            end += len(self.userinfo)
        elif any(finding.code == "brand-subdomain" for finding in self.findings):
            end = len(before)
        return before[:start], before[start:end], before[end:], site, after

    @property
    def host_parts(self) -> tuple[str, str, str]:
        """The host in three parts; the middle one is the site."""
        at = len(self.hostname.rstrip(".")) - len(self.site)
        end = at + len(self.site)
        return self.host[:at], self.host[at:end], self.host[end:]

    @property
    def disguised(self) -> bool:
        """Whether a warning says that the address looks like another one."""
        return any(finding.code in DISGUISES for finding in self.of(Severity.WARN))

    @property
    def _authority(self) -> int:
        """Where the host name begins in the canonical URL."""
        return len(f"{self.scheme}://") + (len(self.userinfo) + 1 if self.userinfo else 0)

    def of(self, severity: str) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def sentences(self, severity: str) -> dict[str, str]:
        """Return the sentences of one severity, each once, with the codes of their findings."""
        found: dict[str, str] = {}
        for finding in self.of(severity):
            codes = found.get(finding.message)
            found[finding.message] = f"{codes} {finding.code}" if codes else finding.code
        return found

    @property
    def remarks(self) -> dict[str, str]:
        """The harmless sentences that are worth a line, with their codes: another site, a new one, a redirect."""
        return {said: codes for said, codes in self.sentences(Severity.INFO).items() if codes in REMARKS}

    @property
    def details(self) -> dict[str, str]:
        """The other harmless sentences, with their codes."""
        return {said: codes for said, codes in self.sentences(Severity.INFO).items() if codes not in REMARKS}


def analyse(url: str, *, server_url: str | None = None, opened: Collection[str] | None = None) -> Link:
    """Analyse `url` before it is opened; never raises.

    `server_url` is the address of the MCP server that sent it, None for a local one. `opened` are the sites that this
    user opened for this server before, None if unknown.
    """
    if len(url) > MAX_LENGTH:
        return Link(raw=url, findings=(_too_long(url),))
    # As browsers do: half of a surrogate pair is replaced (Infra, convert to a scalar value string).
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
    """Return the site of `url`, or "" if it has none."""
    return _parsed(url, url).site if len(url) <= MAX_LENGTH else ""


def _parsed(raw: str, text: str) -> Link:
    try:
        parsed = URL(text)
    except ValueError:
        return Link(raw=raw)
    if not all(map(hosts.is_valid, parsed.hostname.split("."))):
        # Browsers accept it and look up a name that no registry allows (UTS #46, validity criteria).
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
        yield block("no-scheme", _("This is not a full address: it does not begin with https://."))
    elif scheme not in ("http", "https"):
        message = _("“{scheme}:” is not a web address. Only https and http links can be opened.")
        yield block("scheme", message.format(scheme=visible(scheme, SHOWN)))
    elif not link.href:
        message = _("No browser can open this: “{host}” is not a valid host name, or the port after it is invalid.")
        yield block("invalid", message.format(host=visible(wrote.host, SHOWN)))
        if "xn--" in wrote.host.lower():
            yield warn("punycode", _("The host name starts with “xn--” but is not a valid international name."))
    elif hosts.has_joiner(link.readable):
        yield block("joiner", _("The host name contains an invisible character."))


def _too_long(url: str) -> Finding:
    message = _("This address has {n} characters, too many to examine. The limit is {max}.")
    return block("very-long", message.format(n=len(url), max=MAX_LENGTH))


def _about(link: Link, wrote: Written, server: Link | None, opened: Collection[str] | None) -> Iterator[Finding]:
    yield from obfuscation.misleading(wrote, hostname=link.hostname, host=link.host, readable=link.readable)
    familiar = [*(opened or ()), *([server.site] if server and server.site else [])]
    yield from lookalikes.findings(link.readable, link.hostname, link.site, familiar=familiar)
    yield from imitations.findings(link.hostname, link.readable, link.site, link.path, familiar=familiar)
    yield from destination.findings(
        scheme=link.scheme, hostname=link.hostname, port=link.port, server=server.hostname if server else None
    )
    yield from _about_the_site(link, server, opened)
    yield from _about_the_rest(link)


def _about_the_site(link: Link, server: Link | None, opened: Collection[str] | None) -> Iterator[Finding]:
    if server and server.site not in ("", link.site) and not _both_here(link, server):
        message = _("Different site from the server ({server}).")
        yield info("host-differs-from-server", message.format(server=server.site))
    if opened is not None and link.site not in opened and not (server and _both_here(link, server)):
        message = _("First link from this sender to {site}.")
        yield info("first-time-domain", message.format(site=link.site))


def _spell(blank: re.Match[str]) -> str:
    return f"⟦U+{ord(blank[0]):04X}⟧"


def _about_the_rest(link: Link) -> Iterator[Finding]:
    for host in sorted(obfuscation.nested(link.query, link.fragment)):
        message = _("May redirect you to {host}.")
        yield info("nested-url", message.format(host=host))
    for host in sorted(obfuscation.nested_in_path(link.path)):
        message = _("The path contains another address. The page may redirect you to {host}.")
        yield warn("nested-url", message.format(host=host))
    if len(link.href) > LONG:
        message = _("The link is very long ({n} characters). What counts is the site: {site}.")
        yield info("very-long", message.format(n=len(link.href), site=link.site))


def _both_here(link: Link, server: Link) -> bool:
    return hosts.is_loopback(link.hostname) and hosts.is_loopback(server.hostname)
