"""What is found in a link: a code for programs, a severity, and a sentence for a person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters. A warning on every second honest link would be as bad as none."""

    BLOCK = "block"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to know of a link."""

    code: str
    severity: Severity
    message: str


def block(code: str, message: str) -> Finding:
    """Return a finding for which the link cannot be opened."""
    return Finding(code=code, severity=Severity.BLOCK, message=message)


def warn(code: str, message: str) -> Finding:
    """Return a finding that a careful person stops at."""
    return Finding(code=code, severity=Severity.WARN, message=message)


def info(code: str, message: str) -> Finding:
    """Return a finding that is good to know and no reason to stop."""
    return Finding(code=code, severity=Severity.INFO, message=message)
