"""Whether a name or a sentence is about a credential: in English, in Chinese, and by `words` in many languages.

In English as in Chinese the last noun of a name says what the thing is: a `token` is a credential, a `token_count`
is a number. So a word counts only where the phrase ends, which keeps `password_policy_url` quiet.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webclient.content.secrets import concepts
from webclient.content.secrets import words as word_table
from webclient.content.secrets.disguises import joined, readings
from webclient.content.secrets.key_formats import MENTIONED

LONGEST_NAME = 500
LONGEST_TEXT = 2_000
REMEMBERED = 4096
"""Texts with a cached verdict: the same forms are read for each view, draft and answer."""

SHORT_DESCRIPTION = 12
"""Words; a short description may name the thing without asking for it."""

_TOKENS_OF_OTHER_KINDS = (
    *("cancellation", "continuation", "cursor", "next", "page", "pagination", "previous", "sync", "design"),
    *("bos", "end", "eos", "pad", "separator", "start", "stop", "unk", "mask", "special", "game", "arcade"),
    *("crypto", "governance", "nft", "reward", "erc20", "fungible", "max", "min", "csrf", "xsrf"),
)
_ACCOUNTS = "admin|db|email|ftp|login|mail|mysql|root|smtp|ssh|user|vpn|wifi"
_VENDORS = """
    airtable|alchemy|algolia|alibaba|alpha[ ]?vantage|anthropic|asana|assembly[ ]?ai|atlassian|auth0|aws|azure
    |bitbucket
  | binance|braintree|brave(?:[ ]search)?|circle[ ]?ci|claude|cloudflare|cohere|coinbase|confluence|contentful|datadog
  | deepgram|deepl|deep[ ]?seek|digital[ ]?ocean|discord|docker(?:[ ]hub)?|dropbox|elastic(?:search)?|eleven[ ]?labs
  | etherscan|exa|facebook|figma|fire[ ]?base|fire[ ]?crawl|gcp|gemini|git[ ]?hub|git[ ]?lab|gitea
  |google(?:[ ](?:maps|cloud))?
  | grafana|groq|heroku|hub[ ]?spot|hugging[ ]?face|infura|jenkins|jira|kagi|kraken|langsmith|linear|linode|mailchimp
  | mailgun|mapbox|mistral(?:[ ]ai)?|mongo[ ]?db|netlify|new[ ]?relic|news[ ]?api|notion|npm|okta|open[ ]?ai
  |open[ ]?router
  | open[ ]?weather(?:[ ]?map)?|pager[ ]?duty|pay[ ]?pal|perplexity|pinecone|plaid|post[ ]?hog|postman|pypi
  |qdrant|redis
  | replicate|salesforce|segment|send[ ]?grid|sentry|serp[ ]?api|serper|shodan|shopify|slack|snowflake|spotify|stripe
  | supabase|tavily|telegram|terraform|together(?:[ ]?ai)?|trello|twilio|twitter|vault|vercel|virus[ ]?total|weaviate
  | x[ ]?ai|you[ ]?tube|zendesk|zoom
"""
_WHOSE = (
    "account|atm|bank|banking|bankid|card|confirm|current|debit|device|digit|door|enter|login|m|mobile|my|new|old|parental|"
    "personal|phone|repeat|secret|security|sim|transaction|unlock|upi|user|verify|voicemail|wallet|your|the"
)
_NOUNS = rf"""
    (?:pg)?pass?[ ]?w(?:o|oo)?rds? | pas{{1,3}}[ ]?w(?:or|ro|r)d | passwd | pswd | pwd | passwrd | psw
  | pass[ ]?phrases? | pass[ ]?codes? | pass[ ]?keys? | psk | connection[ ]string
  | (?:^|(?:{_ACCOUNTS})[ ])pw | (?:{_ACCOUNTS})[ ]pass
  | secrets?(?![ ](?:of|santa|level|ingredient)) | shhh
  | {"".join(f"(?<!{kind}[ ])" for kind in _TOKENS_OF_OTHER_KINDS)}(?:access|auth|bearer|refresh|session|id
  |bot|api|csrf)?token
  | (?:access|api|auth|bearer|refresh|bot|personal|oauth|deploy)[ ]tokens
  | (?:api|access|private|secret|ssh|auth|signing|encryption|decryption|hmac|deploy|service|master|pem|consumer|wallet
      |subscription|shared|storage|admin|root|gpg|pgp|rsa|developer|dev|integration|webhook|role|publishing
      |write|team)[ ]?keys?
  | private[ ]key[ ]pem | (?:recovery|session|service[ ]account|account|wep|wpa2?|wifi|network[ ]security)[ ]key
  | service[ ]account[ ](?:json|file[ ]contents?|credentials?[ ]json) | kube[ ]?config | id[ ](?:rsa|ed25519)
  | auth(?:orization)?[ ]header | basic[ ]auth | (?:your[ ])bearer
  | (?:security|secret)[ ](?:question[ ]|question'?s[ ])?answer | answer[ ]to[ ](?:your|the)[ ]se(?:curity
  |cret)[ ]question
  | mother'?s?[ ]maiden[ ]name | maiden[ ]name[ ]of[ ]your[ ]mother | (?:name[ ]of[ ]your[ ]first[ ]pet
  |first[ ]pet'?s[ ]name)
  | (?:licen[cs]e|activation|product)[ ]key | activation[ ]code
  | (?:{_VENDORS})[ ](?:\w+[ ])?(?:(?:live|production|test)[ ])?(?:key|pat|creds|login)
  | (?:^|personal[ ]|azure[ ]devops[ ]|your[ ]|ado[ ])pat
  | credentials? | creds | jwt | (?:session|auth|authentication|login)[ ]cookies? | (?:j|php)sess(?:ion)?[ ]?id
  | mnemonic(?:[ ](?:phrase|words|seed))?
  | (?:seed|secret|recovery|backup|wallet)[ ](?:recovery[ ]|seed[ ])?(?:phrase|words|codes?) | wallet[ ]seed
  | (?:12|24|twelve|twenty[ ]four)[ ]words?(?:[ ](?:recovery|seed|secret|backup))?(?:[ ]phrase)?
  | (?:^|(?:{_WHOSE})[ ])pin(?:[ ](?:number|code))? | (?:m|u|sim)pin | puk(?:[ ]code)? | pin[ ]number
  | i?tan[ ](?:code|number)
  | t?otp(?:[ ]code)? | one[ ]?time[ ](?:code|password|passcode|pin|token) | single[ ]use[ ]code
  | (?:^|your[ ]|enter[ ])(?:2fa|mfa|two[ ]?fa)
  | (?:tfa|two[ ](?:factor|step)|2[ ]step)(?:[ ](?:auth(?:entication)?|verification))?[ ](?:code|token)
  | ^(?:[468]|four|six|eight)[ ]digit[ ]code(?=\s*$)
  | (?:[0-9]+|four|five|six|eight)[ ]digit[ ]codes?(?=[ ](?:we|sent|you|from|texted|shown[ ]in)\b)
  | code(?=[ ](?:from|in|on|shown[ ](?:in|on)|generated[ ]by)[ ](?:your[ ])?(?:authenticator|phone
  |auth(?:entication)?[ ]app)\b)
  | code[ ](?:we|that[ ]we|i|just)[ ](?:just[ ])?(?:texted|sms'?e?d)(?:[ ](?:to[ ])?you)?
  | (?:verification|verify|security|auth|authentication|authenticator|authorization|2fa|mfa|log[ ]?in
  |sign[ ]?in|sms|text
      |access|pass|unlock|secret|reset|confirmation[ ]sms|pairing|entry|gate|door|alarm|safe
      |recovery)[ ]codes?(?![ ]of[ ]conduct)
  | (?:safe|lock(?:er)?|vault)[ ]combination
  | c(?:vv|vc|sc)2?(?:[ ](?:code|number))? | card[ ]verification[ ](?:code|value|number)
  | card[ ]security[ ](?:number|value)
  | (?:3|three|4|four)[ ]digits?(?:[ ](?:code|number))?[ ]on[ ](?:the|your)[ ](?:back|front|card|reverse)
  | (?:credit|debit|bank|payment)[ ]?card(?:[ ](?:number|num|no|details|info|information|data))?
  | (?:visa|mastercard|amex|american[ ]express)(?:[ ]card)?[ ](?:number|no) | (?:card|cc)[ ]?(?:number|num|no)
  | primary[ ]account[ ]number | card[ ]details
  | (?:log[ ]?in|sign[ ]?in|banking|online[ ]banking)[ ](?:details|info|information|data) | bank(?:ing)?[ ]login
  | ssn | social[ ]security(?:[ ](?:number|no|num))? | social[ ]insurance[ ]number
  | national[ ]insurance[ ](?:number|no)
  | national[ ]id(?:entity|entification)?(?:[ ]card)?(?:[ ](?:number|no))?
  | aadh?a?ar(?:[ ](?:card[ ])?(?:number|no))?
"""
_ELSEWHERE = (
    "ein|para|per|pour|von|fur|di|del|dell|della|dello|do|da|de|du|des|z|til|till|voor|van|zu|og|och|y|e|et|und|ou|o"
    "|oder|pro"
)
"""Characters that may follow an English name in a sentence of another language."""

_AFTER = rf"""
    (?= [ ](?:for|of|from|on|in|at|with|here|below|again|confirm|confirmation|repeat|required|needed|please
             |and|or|if|so|is|you|we|sent|that|which|[0-9]+|associated|{_ELSEWHERE}
             |to[ ](?:use|sign|log|continue|proceed|connect|access|confirm|verify|authenticate|unlock
             |authori[sz]e|your|the|my|go[ ]on|restore
               |recover|complete|finish|start|run|book|pay|open|call|make|link|register|activate|approve
               |decrypt|encrypt|deploy|publish|push
               |pull|fetch|see|view|get|set[ ]up|import|join|send|download|upload|finali[sz]e|process|check
               |enable|let))\b
      | (?:[ ](?:value|input|field|contents?))?\s*$ | \s*[^\w\s])
"""
_OTHER_MATTER = r"""
    \b(?:number|count|type|kind|name|length|age|strength|size|location|path|lifetime|format|label|title|link
    |expiry)[ ](?:of|to)\b | \b(?:number|address|e?mail)[ ]for\b
  | ^(?:is|are|can|should|how|where|when|why|whether|does|do|did|if)\b
  | \b(?:forgot|forgotten|lost|reset|change
       |has|have|had|show|hide|enable|disable|requires?|uses?|using|without|no|not|used|allow
       |never|don'?t|do[ ]not|cannot|max|min|per|each|hashed|encrypted|public|about)\b
"""
_NAMED = re.compile(rf"\b(?:{_NOUNS})[0-9]*{_AFTER}", re.VERBOSE)
_UNLIKE = re.compile(_OTHER_MATTER, re.VERBOSE)
_ASKING = re.compile(
    r"\b(?:enter|type|paste|provide|supply|input|insert|give|share|send|confirm"
    r"|what(?: is|'?s)|need(?:ed)?"
    r"|require[ds]?|(?:log|sign) in with|authenticate with|verify|submit|fill|put|tell|reply with|respond with"
    r"|re-?enter|please|add)\b"
)

_NOUNS_ZH = (
    "(?:密码|口令|(?<!公开)密钥|秘钥|私钥(?:内容)?|令牌|(?:验证|校验|确认|动态|安全|授权|访问|解锁|激活|短信)码|助记词|"
    "(?:恢复|备份|密钥)短语|通行(?:码|短语)|卡密|(?:恢复|备份)代码|"
    "(?:密保|安全问题)(?:的)?答案|"
    "(?:登录|登陆|访问|身份|认证|安全|用户|^)凭[证据]|卡号|身份证号?码?|社(?:保|会保障)卡?号码?|"
    "(?:pin|cv[vc]2?) ?码|信用卡 ?cv[vc]2?|信用卡(?:信息|号码)|"
    "(?<=[一-鿿])(?:token|api ?key|password)|(?<=[一-鿿] )(?:token|api ?key|password))"
)
_AFTER_ZH = r"(?=\s*(?:$|[^\w\s]|以|用于|来|进行|并|和|或|即可|值$|后(?!.{0,2}位)))"
_NAMED_ZH = re.compile(_NOUNS_ZH + _AFTER_ZH)
_UNLIKE_ZH = re.compile("忘记|重置|修改|更改|不要|请勿|切勿|勿|无需|不需|不会|没有|是否|数量|个数|最大|启用|禁用")
_ASKING_ZH = re.compile("输入|填写|提供|粘贴|请填|发送|确认|键入|告诉|你的|您的")

_TAN = re.compile(r"(?<![\w-])TAN(?![\w-])")
"""The number for one bank transfer in German; in small letters it is a colour."""

_CLAUSES = re.compile(r"[.!?;\n。！？；，।؟،](?!\w)|[;\n。！？；，।؟،]")


@lru_cache(maxsize=REMEMBERED)
def names_secret(text: str) -> bool:
    """Return whether a name or title is that of a credential."""
    return any(_is_name(reading) for reading in readings(_spoken(text[:LONGEST_NAME])))


@lru_cache(maxsize=REMEMBERED)
def asks_for_credential(text: str) -> bool:
    """Return whether running text asks for a credential."""
    return any(
        asks and _is_name(reading)
        for clause in _CLAUSES.split(joined(_spoken(text[:LONGEST_TEXT])))
        for reading in readings(clause)
        if (asks := _asks(reading))
    )


@lru_cache(maxsize=REMEMBERED)
def describes_secret(text: str) -> bool:
    """Return whether a field's description asks for a credential, or just names one."""
    first = _CLAUSES.split(text[:LONGEST_NAME], maxsplit=1)[0]
    return asks_for_credential(text) or (len(first.split()) <= SHORT_DESCRIPTION and names_secret(first))


def _spoken(text: str) -> str:
    """Replace what only capitals and signs show to be a credential by its noun: "starts with ghp_", "TAN"."""
    return _TAN.sub("TAN-Nummer", MENTIONED.sub("token ", text))


def _is_name(reading: str) -> bool:
    return (
        _ends_well(reading, _NAMED, _UNLIKE)
        or _ends_well(reading, _NAMED_ZH, _UNLIKE_ZH)
        or any(words.name(reading) for words in word_table.languages())
        or any(_is_meant(reading, start) for each in concepts.languages() for start in each.positions(reading))
    )


def _asks(reading: str) -> bool:
    patterns = (_ASKING, _ASKING_ZH, word_table.asking(), concepts.asking())
    return any(pattern.search(reading) for pattern in patterns)


def _ends_well(text: str, named: re.Pattern[str], unlike: re.Pattern[str]) -> bool:
    for found in named.finditer(text):
        before = text[max(0, found.start() - word_table.LOOK_BACK) : found.start()]
        if not unlike.search(before) and not word_table.others().search(before):
            return True
    return False


def _is_meant(text: str, start: int) -> bool:
    before = text[max(0, start - word_table.LOOK_BACK) : start]
    return not any(pattern.search(before) for pattern in (_UNLIKE, _UNLIKE_ZH, word_table.others()))
