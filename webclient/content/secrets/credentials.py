"""Recognises credentials by their format: keys of known services, tokens, private keys, payment cards.

A number counts as a card if it has a known issuer, the right length and the right check digit; phone numbers, ISBNs,
UUIDs and most order numbers do not.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from unicodedata import normalize

from webclient.content.secrets.key_formats import GENERATED, GROWING, KEYS
from webclient.domain.i18n import gettext as _

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY|^PuTTY-User-Key-File-")
_ASSIGNED = re.compile(
    r"""(?i)(?<![a-z])(?:pass(?:word|phrase|wd)|pwd|(?:client[_-]?)?secret|(?:access|auth|api)[_-]?(?:key|token)|token)
    ["']?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}["']?(?=[^\s"']{0,60}[0-9])(?=[^\s"']{0,60}[a-z])[^\s"'<>{}$();&,]{8,}""",
    re.VERBOSE,
)
_LOGIN = re.compile(r"://[^\s/:@]{1,100}:[^\s/:@]{1,200}@[^\s/@]")
_JWT = re.compile(r"(?<![\w-])(eyJ[\w-]{5,})\.(?:eyJ[\w-]{5,}\.[\w-]*|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)")
"""Signed (RFC 7515) or encrypted (RFC 7516)."""
_ADDRESS_ON_THE_WEB = re.compile(r"\b\w{1,20}://\S+")
_CARD = re.compile(
    r"""(?<![\w.-])(?:
      [0-9]{14,19} | 62[0-9]{2}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}\1[0-9]{3}
    | [0-9]{4}([ -])[0-9]{4}\2[0-9]{4}\2[0-9]{4} | [0-9]{4}([ -])[0-9]{6}\3[0-9]{4,5}
    )(?!\w|[.-]\w)""",
    re.VERBOSE,
)
_ISSUED = re.compile(
    r"""
      4[0-9]{15} | (?:5[1-5]|2[2-7])[0-9]{14} | 3[47][0-9]{13} | 3(?:0[0-5]|[689][0-9])[0-9]{11}
    | 35[2-8][0-9]{13} | (?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12} | 62[0-9]{14,17}""",
    re.VERBOSE,
)
"""Issuers with the lengths of their numbers; IMEIs and bar codes have other prefixes or are too short."""


def looks_secret(value: Any) -> str | None:
    """Return a sentence if a text or number looks like a credential, else None."""
    text = normalize("NFKC", value) if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    return next((sentence for sentence, holds in _signs() if holds(text)), None)


def _signs() -> tuple[tuple[str, Callable[[str], Any]], ...]:
    return (
        (_("This looks like a private key."), _PRIVATE_KEY.search),
        (_("This looks like an access key or token of a known service."), KEYS.search),
        (_("This looks like a sign-in token (JWT)."), _has_jwt),
        (_("This looks like a key or token: it is long and random."), _has_generated),
        (_("This looks like a line that sets a password or a key."), _ASSIGNED.search),
        (_("This looks like an address with a password in it."), _LOGIN.search),
        (_("This looks like a payment card number."), _has_card),
    )


def may_become_secret(text: str) -> bool:
    """Return whether `text`, or a text in JSON, ends with the beginning of a credential."""
    return GROWING.search(text) is not None


def _has_jwt(text: str) -> bool:
    return any(_is_jwt_header(found[1]) for found in _JWT.finditer(text))


def _has_card(text: str) -> bool:
    return any(_is_card(found[0]) for found in _CARD.finditer(_ADDRESS_ON_THE_WEB.sub("", text)))


def _has_generated(text: str) -> bool:
    """Whether `text` has random capitals, small letters and digits after a prefix, as keys of unknown services."""
    return any(_is_random(found[1]) for found in GENERATED.finditer(text))


def _is_random(text: str) -> bool:
    changes = sum(_kind(one) != _kind(two) for one, two in pairwise(text))
    return len({_kind(char) for char in text}) == 3 and changes * 3 > len(text)


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a"


def _is_jwt_header(encoded: str) -> bool:
    """Whether it decodes to a JSON object that names its algorithm (RFC 7519 section 5)."""
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(header, dict) and "alg" in header


def _is_card(text: str) -> bool:
    digits = "".join(char for char in text if char.isdigit())
    return _ISSUED.fullmatch(digits) is not None and _luhn(digits)


def _luhn(digits: str) -> bool:
    """Whether the check digit is right (ISO/IEC 7812-1, annex B)."""
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0
