"""Is this form asking for a credential? Form mode must not carry secrets (MCP 2025-11-25).

In English as in Chinese the last noun of a name says what the thing is: a `token` is a credential, a `token_count`
is a number. So a word counts only where the phrase ends, which keeps `password_policy_url` quiet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webclient.forms.credentials import looks_secret
from webclient.forms.form import Field, Form
from webclient.i18n import gettext as _

TYPED = frozenset({"text", "textarea", "lines", "integer", "number", "uri"})
"""Kinds into which a secret could be typed; a question whether one *has* a password is not a question for it."""

DOTS = "••••••••"

_TOKENS_OF_OTHER_KINDS = (
    *("cancellation", "continuation", "cursor", "next", "page", "pagination", "previous", "sync"),
    *("bos", "end", "eos", "pad", "separator", "start", "stop", "unk"),
    *("crypto", "governance", "nft", "reward"),
)
_ACCOUNTS = "admin|db|email|ftp|login|mail|mysql|root|smtp|ssh|user|vpn|wifi"
_NOUNS = rf"""
    (?:pg)?pass[ ]?word | passwd | pwd | pass[ ]?phrase | pass[ ]?code | pass[ ]?key | psk | connection[ ]string
  | (?:^|(?:{_ACCOUNTS})[ ])pw | (?:{_ACCOUNTS})[ ]pass
  | secret(?![ ]of)
  | {"".join(f"(?<!{kind}[ ])" for kind in _TOKENS_OF_OTHER_KINDS)}token
  | (?:api|access|private|secret|ssh|auth|signing|encryption|decryption|hmac|deploy|service|master|pem)[ ]?key
  | private[ ]key[ ]pem | (?:recovery|session|service[ ]account)[ ]key | service[ ]account[ ]json
  | auth(?:orization)?[ ]header | basic[ ]auth
  | (?:security|secret)[ ](?:question[ ])?answer | mother'?s?[ ]maiden[ ]name | licen[cs]e[ ]key
  | (?:anthropic|aws|azure|github|google|openai|sendgrid|slack|stripe|twilio)[ ]key | (?:github|gitlab)[ ]pat
  | credentials? | jwt | session[ ]cookie | mnemonic
  | (?:seed|secret|recovery|backup)[ ](?:phrase|words|codes?) | wallet[ ]seed
  | (?:^|(?:account|atm|bank|card|debit|device|digit|door|login|my|phone|security|sim|unlock|user|your)[ ])
    pin(?:[ ](?:number|code))?
  | t?otp(?:[ ]code)? | one[ ]time[ ](?:code|password|passcode) | 2fa | two[ ]?fa | (?:tfa|two[ ]factor)[ ]code
  | ^[468][ ]digit[ ]code(?=\s*$)
  | [0-9]+[ ]digit[ ]code(?=[ ](?:we|sent|you)\b) | code(?=[ ]from[ ]your[ ](?:authenticator|phone)\b)
  | (?:verification|verify|security|auth|authentication|authorization|2fa|mfa|login|sms)[ ]code(?![ ]of[ ]conduct)
  | c[vs][vc]2?(?:[ ]code)? | (?:credit|debit|bank|payment)[ ]?card(?:[ ]number)? | (?:card|cc)[ ]?(?:number|num|no)
  | ssn | social[ ]security(?:[ ]number)?
"""
_AFTER = r"""
    (?= [ ](?:for|of|from|on|in|at|with|here|below|again|confirm|confirmation|repeat
             |and|or|if|so|is|you|we|sent|that|which|[0-9]+
             |to[ ](?:use|sign|log|continue|proceed|connect|access|confirm|verify))\b
      | (?:[ ](?:value|input|field))?\s*$ | \s*[^\w\s])
"""
_OTHER_MATTER = r"""
    \b(?:number|count|type|kind|name|length|age)[ ]of\b
  | ^(?:is|are|can|should)\b | \b(?:forgot|forgotten|lost|reset|change
       |has|have|had|show|hide|enable|disable|requires?|uses?|using|without|no|not
       |never|don'?t|cannot|max|min|per|each|hashed|encrypted)\b
"""
_NAMED = re.compile(rf"\b(?:{_NOUNS})[0-9]*{_AFTER}", re.VERBOSE)
_UNLIKE = re.compile(_OTHER_MATTER, re.VERBOSE)
_ASKED = re.compile(
    r"\b(?:enter|type|paste|provide|supply|input|insert|give|share|send|confirm|what is|need(?:ed)?"
    r"|(?:log|sign) in with)\b"
)

_NOUNS_ZH = (
    "(?:密码|口令|(?<!公开)密钥|秘钥|私钥(?:内容)?|令牌|验证码|动态码|安全码|授权码|助记词|恢复短语|卡密|"
    "(?:密保|安全问题)答案|"
    "(?:登录|登陆|访问|身份|认证|安全|用户|^)凭[证据]|卡号|身份证号码?|社(?:保|会保障)号码?|"
    "(?:pin|cv[vc]2?)码|信用卡 ?cv[vc]2?|"
    "(?<=[一-鿿])(?:token|api ?key|password)|(?<=[一-鿿] )(?:token|api ?key|password))"
)
_AFTER_ZH = r"(?=\s*(?:$|[^\w\s]|以|用于|来|进行|并|和|或|即可|值$|后(?!.{0,2}位)))"
_NAMED_ZH = re.compile(_NOUNS_ZH + _AFTER_ZH)
_UNLIKE_ZH = re.compile("忘记|重置|修改|更改|不要|请勿|切勿|勿|无需|不需|不会|没有|是否|数量|个数|最大|启用|禁用")
_ASKED_ZH = re.compile("输入|填写|提供|粘贴|请填|发送|确认|键入|告诉|你的|您的")

LONGEST_NAME = 500

_PIN_CODE = re.compile(r"\bpin code\b")
_ADDRESS = re.compile(r"\b(?:address|city|district|locality|postal|state|street|town)\b")

_CLAUSES = re.compile(r"[.!?;\n。！？；，]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-./\s]+")


def asks_for_secret(form: Form, message: str = "") -> dict[str, str]:
    """Return property name -> sentence for fields that ask for a credential; "" if `message` itself does.

    In India a PIN code is part of an address, and it is taken for one beside the rest of an address.
    """
    fields = [field for field in form.fields if not _PIN_CODE.search(_words(field.name))]
    if len(fields) == len(form.fields) or not any(_ADDRESS.search(_words(field.name)) for field in fields):
        fields = list(form.fields)
    found = {field.name: _warning(field) for field in fields if _asks(field)}
    if not found and _invites(message) and any(field.kind in TYPED for field in form.fields):
        found[""] = _("The server's message seems to ask for a credential. Servers must not ask for one in a form.")
    return found


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


def is_asked(field: Field, asked: Mapping[str, str]) -> bool:
    """Whether `field` is one of those that `asked`, from `asks_for_secret`, is about."""
    # Where only the message asks for a secret, it may be meant for any field that takes one.
    return field.name in asked or ("" in asked and field.kind in TYPED)


def concealed(form: Form, content: Mapping[str, Any], message: str = "") -> dict[str, Any]:
    """Return `content` with dots in place of what is or may be a credential, to be shown long after it was sent."""
    asked = asks_for_secret(form, message)
    hidden = {field.name for field in form.fields if is_asked(field, asked)} | typed_secrets(content, form).keys()
    return {name: DOTS if name in hidden else value for name, value in content.items()}


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
        or names_secret(field.name)
        or names_secret(field.label)
        or _invites(f"{field.description}{field.more}")
    )


def names_secret(text: str) -> bool:
    """Whether a name or title is that of a credential."""
    words = _words(text)
    return _ends_well(words, _NAMED, _UNLIKE) or _ends_well(words, _NAMED_ZH, _UNLIKE_ZH)


def _words(name: str) -> str:
    return " ".join(_CAMEL.sub(" ", name[:LONGEST_NAME]).lower().split())


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
