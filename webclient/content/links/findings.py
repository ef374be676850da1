"""A finding about a link: a code for programs, a severity, and a sentence for a person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is. Warnings on honest links would teach people to ignore them."""

    BLOCK = "block"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to know about a link."""

    code: str
    severity: Severity
    message: str


def block(code: str, message: str) -> Finding:
    """Return a finding that blocks the link."""
    return Finding(code=code, severity=Severity.BLOCK, message=message)


def warn(code: str, message: str) -> Finding:
    """Return a finding at which a careful person should stop."""
    return Finding(code=code, severity=Severity.WARN, message=message)


def info(code: str, message: str) -> Finding:
    """Return a finding that is useful and harmless."""
    return Finding(code=code, severity=Severity.INFO, message=message)
