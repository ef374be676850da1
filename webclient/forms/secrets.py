"""Is this form asking for a credential, and is this text one? Form mode must not carry secrets (MCP 2025-11-25).

In English as in Chinese the last noun of a name says what the thing is: a `token` is a credential, a `token_count`
is a number. So a word counts only where the phrase ends, which keeps `password_policy_url` quiet.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from webclient.forms.form import Field, Form
from webclient.i18n import gettext as _

TYPED = frozenset({"text", "textarea", "lines", "integer", "number", "uri"})
"""Kinds into which a secret could be typed; a question whether one *has* a password is not a question for it."""

_NOUNS = r"""
    pass[ ]?word | passwd | pwd | pass[ ]?phrase | pass[ ]?code | psk | connection[ ]string
  | (?:^|(?:admin|db|login|root|smtp|user|wifi)[ ])pw | (?:admin|db|login|root|smtp|user|wifi)[ ]pass
  | secret(?![ ]of)
  | (?<!page[ ])(?<!sync[ ])(?<!nft[ ])(?<!crypto[ ])(?<!continuation[ ])(?<!cancellation[ ])token
  | (?:api|access|private|secret|ssh|auth|signing|encryption|service|master|pem)[ ]?key
  | (?:anthropic|aws|azure|github|google|openai|sendgrid|slack|stripe|twilio)[ ]key | (?:github|gitlab)[ ]pat
  | credentials? | jwt | session[ ]cookie | mnemonic | (?:seed|recovery|backup)[ ](?:phrase|codes?)
  | (?:^|(?<=your[ ])|(?<=card[ ])|(?<=account[ ])|(?<=digit[ ])|(?<=bank[ ])|(?<=security[ ]))pin(?:[ ]number)?
  | t?otp(?:[ ]code)? | one[ ]time[ ](?:code|password|passcode) | 2fa | two[ ]factor[ ]code
  | [0-9]+[ ]digit[ ]code(?=[ ](?:we|sent|you)\b) | code(?=[ ]from[ ]your[ ](?:authenticator|phone)\b)
  | (?:verification|security|auth|authentication|2fa|mfa|login|sms)[ ]code
  | cvv2? | cvc2? | (?:(?:credit|debit|bank|payment)[ ])card(?:[ ]number)? | card[ ](?:number|no)
  | ssn | social[ ]security(?:[ ]number)?
"""
_AFTER = r"""
    (?= [ ](?:for|of|from|on|in|at|with|here|below|again|confirm|confirmation|repeat|value|input|field
             |and|or|if|so|is|you|we|sent|that|which|[0-9]+
             |to[ ](?:use|sign|log|continue|proceed|connect|access|confirm|verify))\b
      | \s*$ | \s*[^\w\s])
"""
_OTHER_MATTER = r"""
    \b(?:number|count|type|kind|name|length|age)[ ]of\b
  | \b(?:forgot|forgotten|reset|change|has|have|had|show|hide|enable|disable|requires?|uses?|using|without|no|not
       |never|don'?t|cannot|max|min|per|each|hashed|encrypted)\b
"""
_NAMED = re.compile(rf"\b(?:{_NOUNS})[0-9]*{_AFTER}", re.VERBOSE)
_UNLIKE = re.compile(_OTHER_MATTER, re.VERBOSE)
_ASKED = re.compile(
    r"\b(?:enter|type|paste|provide|supply|input|insert|give|share|send|confirm|what is|need|(?:log|sign) in with)\b"
)

_NOUNS_ZH = (
    "(?:密码|口令|密钥|秘钥|私钥|令牌|验证码|动态码|安全码|授权码|助记词|恢复短语|密保答案|凭证|凭据|卡号|身份证号码?|社保号码?|pin码|"
    "(?<=[一-鿿])(?:token|api ?key|password)|(?<=[一-鿿] )(?:token|api ?key|password))"
)
_AFTER_ZH = r"(?=\s*(?:$|[^\w\s]|以|用于|来|进行|并|和|或|即可|值$|后(?!.{0,2}位)))"
_NAMED_ZH = re.compile(_NOUNS_ZH + _AFTER_ZH)
_UNLIKE_ZH = re.compile("忘记|重置|修改|更改|不要|请勿|切勿|勿|无需|不需|不会|没有|是否|数量|个数|启用|禁用")
_ASKED_ZH = re.compile("输入|填写|提供|粘贴|请填|发送|确认|键入|告诉|你的|您的")

_CLAUSES = re.compile(r"[.!?;\n。！？；，]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-./\s]+")

_KEYS = re.compile(
    r"""
    (?<![A-Za-z0-9])(?:
      sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,} | (?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9+/=]{20,}
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{20,} | (?:AKIA|ASIA)[A-Z0-9]{16}
    | xox[abeprs]-[A-Za-z0-9-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,} | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
    | npm_[A-Za-z0-9]{36} | pypi-AgE[A-Za-z0-9_-]{20,} | hf_[A-Za-z0-9]{30,} | (?:gsk_|xai-)[A-Za-z0-9]{40,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | ATATT3[A-Za-z0-9_=-]{50,} | lin_api_[A-Za-z0-9]{30,}
    | dop_v1_[a-f0-9]{40,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | LTAI[A-Za-z0-9]{16,20} | AKID[A-Za-z0-9]{32}
    | AGE-SECRET-KEY-1[A-Z0-9]{50,}
    )
    | \bBearer[ ](?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,}""",
    re.VERBOSE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY|^PuTTY-User-Key-File-")
_LOGIN = re.compile(r"://[^\s/:@]{1,100}:[^\s/:@]{1,200}@[^\s/@]")
_JWT = re.compile(r"(?<![\w-])(eyJ[\w-]{5,})\.eyJ[\w-]{5,}\.[\w-]*")
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


def asks_for_secret(form: Form, message: str = "") -> dict[str, str]:
    """Return property name -> sentence for fields that ask for a credential; "" if `message` itself does."""
    found = {field.name: _warning(field) for field in form.fields if _asks(field)}
    if not found and _invites(message) and any(field.kind in TYPED for field in form.fields):
        found[""] = _("The server's message seems to ask for a credential. Servers must not ask for one in a form.")
    return found


def looks_secret(value: Any) -> str | None:
    """Return a sentence if the text or number `value` looks like a credential, else None."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    if _PRIVATE_KEY.search(text):
        return _("This looks like a private key.")
    if _KEYS.search(text):
        return _("This looks like an access key or token of a known service.")
    if any(_is_jwt_header(found[1]) for found in _JWT.finditer(text)):
        return _("This looks like a sign-in token (JWT).")
    if _LOGIN.search(text):
        return _("This looks like an address with a password in it.")
    if any(_is_card(found[0]) for found in _CARD.finditer(text)):
        return _("This looks like the number of a payment card.")
    return None


def typed_secrets(content: Mapping[str, Any], form: Form | None = None) -> dict[str, str]:
    """Return property name -> sentence for what in `content` looks like a credential.

    What the server of `form` suggested itself, as a default or an option, is none of the person's.
    """
    suggested = {field.name: _suggested(field) for field in form.fields} if form else {}
    found: dict[str, str] = {}
    for name, value in content.items():
        for each in value if isinstance(value, list) else [value]:
            if (sentence := looks_secret(each)) and each not in suggested.get(name, ()):
                found[name] = sentence
    return found


def _suggested(field: Field) -> list[Any]:
    default = field.default if isinstance(field.default, list) else [field.default]
    return [*default, *(option.value for option in field.options)]


def _warning(field: Field) -> str:
    return _(
        "“{name}” seems to ask for a credential. Servers must not ask for one in a form: "
        "what you type would pass through this page and may be kept. Decline unless you are sure."
    ).format(name=field.label)


def _asks(field: Field) -> bool:
    if field.kind not in TYPED:
        return False
    return (
        field.schema.get("format") == "password"
        or _names(field.name)
        or _names(field.label)
        or _invites(f"{field.description}{field.more}")
    )


def _names(text: str) -> bool:
    """Whether a name or title is that of a credential."""
    words = " ".join(_CAMEL.sub(" ", text).lower().split())
    return _ends_well(words, _NAMED, _UNLIKE) or _ends_well(words, _NAMED_ZH, _UNLIKE_ZH)


def _invites(text: str) -> bool:
    """Whether a sentence of running text invites one to type a credential."""
    for clause in _CLAUSES.split(text[:5_000].lower()):
        words = " ".join(clause.replace("-", " ").split())
        for named, unlike, asked in ((_NAMED, _UNLIKE, _ASKED), (_NAMED_ZH, _UNLIKE_ZH, _ASKED_ZH)):
            if asked.search(words) and _ends_well(words, named, unlike):
                return True
    return False


def _ends_well(words: str, named: re.Pattern[str], unlike: re.Pattern[str]) -> bool:
    return any(not unlike.search(words[: found.start()]) for found in named.finditer(words))


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
