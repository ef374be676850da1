"""Consent to a link: where a browser would really go, and what a person should know before opening it.

Pure functions: nothing is fetched or resolved. `analyse` never raises, and its cost is linear in the length of a link
of at most 65,536 characters. Links are parsed by the WHATWG rules, as browsers do.

- `analyse` gives a `Link`: its parts, and its findings by `Severity`; a link with a blocking finding is never opened.
- `site_of` gives the registered part of the host name.
"""

from __future__ import annotations

from webclient.content.links.findings import Finding, Severity
from webclient.content.links.url import Link, analyse, site_of

__all__ = ["Finding", "Link", "Severity", "analyse", "site_of"]
