"""Consent to a link: where it really leads, and what a person should know before they open it. Pure functions."""

from __future__ import annotations

from webclient.consent.findings import Finding, Severity
from webclient.consent.url import Link, analyse, site_of

__all__ = ["Finding", "Link", "Severity", "analyse", "site_of"]
