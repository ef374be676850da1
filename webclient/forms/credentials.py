"""Is this text a credential? Keys of well-known services by their prefixes, tokens, private keys, payment cards.

What a number is can only be guessed: one that an issuer of cards could have given out, of the right length and with
the right check digit, counts as a card; phone numbers, ISBNs, UUIDs and most order numbers do not.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any
from unicodedata import normalize

from webclient.i18n import gettext as _

_KEYS = re.compile(
    r"""
    (?<![A-Za-z0-9])(?:
      (?<![_-])sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}
    | (?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9+/=]{20,}
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{20,} | (?:AKIA|ASIA)[A-Z0-9]{16}
    | xox[abeprs]-[A-Za-z0-9-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,} | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
    | npm_[A-Za-z0-9]{36} | pypi-AgE[A-Za-z0-9_-]{20,} | hf_[A-Za-z0-9]{30,} | (?:gsk_|xai-)[A-Za-z0-9]{40,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | ATATT3[A-Za-z0-9_=-]{50,} | lin_api_[A-Za-z0-9]{30,}
    | dop_v1_[a-f0-9]{40,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | LTAI[A-Za-z0-9]{16,20} | AKID[A-Za-z0-9]{32}
    | AGE-SECRET-KEY-1[A-Z0-9]{50,} | dckr_pat_[A-Za-z0-9_-]{20,} | sntrys_[A-Za-z0-9+/=_]{30,} | NRAK-[A-Z0-9]{27}\b
    | tskey-[a-z]+-[A-Za-z0-9]{10,} | r8_[A-Za-z0-9]{37} | pplx-[A-Za-z0-9]{40,} | (?:ntn|secret)_[A-Za-z0-9]{40,}
    | figd_[A-Za-z0-9_-]{30,} | sq0(?:atp|csp)-[A-Za-z0-9_-]{20,} | hv[sb]\.[A-Za-z0-9_-]{24,}
    | EAA[A-Za-z0-9]{80,}
    | key-[0-9a-f]{32}\b | SK[0-9a-f]{32}\b | 1//0[A-Za-z0-9_-]{30,} | pat-(?:na|eu)1-[0-9a-f]{8}-[0-9a-f-]{27}
    )
    | \bBearer[ ](?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,} | \bAuthorization:[ ]*Basic[ ]+[A-Za-z0-9+/]{8,}""",
    re.VERBOSE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY|^PuTTY-User-Key-File-")
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
"""Issuers with the lengths of their numbers: what an IMEI or a bar code begins with is another's, or too short."""
_GROWING = re.compile(
    r"""(?<![A-Za-z0-9._-])(?:
      (?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|pypi-|hf_|gsk_|xai-|whsec_)[A-Za-z0-9_-]*
    | (?:AKIA|ASIA|AIza|ya29\.|SG\.|eyJ)[A-Za-z0-9._-]*
    | -----BEGIN[ ][A-Z -]{0,40}
    )(?:$|(?="))""",
    re.VERBOSE,
)


def looks_secret(value: Any) -> str | None:
    """Return a sentence if the text or number `value` looks like a credential, else None."""
    text = normalize("NFKC", value) if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    if _PRIVATE_KEY.search(text):
        return _("This looks like a private key.")
    if _KEYS.search(text):
        return _("This looks like an access key or token of a known service.")
    if any(_is_jwt_header(found[1]) for found in _JWT.finditer(text)):
        return _("This looks like a sign-in token (JWT).")
    if _LOGIN.search(text):
        return _("This looks like an address with a password in it.")
    if any(_is_card(found[0]) for found in _CARD.finditer(_ADDRESS_ON_THE_WEB.sub("", text))):
        return _("This looks like the number of a payment card.")
    return None


def grows_secret(text: str) -> bool:
    """Whether `text`, or a text in JSON, ends in the beginning of a credential: the rest may be about to be typed."""
    return _GROWING.search(text) is not None


def _is_jwt_header(encoded: str) -> bool:
    """RFC 7519 section 5: the header is a JSON object, and every signed one names its algorithm."""
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(header, dict) and "alg" in header


def _is_card(text: str) -> bool:
    digits = "".join(char for char in text if char.isdigit())
    return _ISSUED.fullmatch(digits) is not None and _luhn(digits)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0
