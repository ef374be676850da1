"""The inbox: what servers ask of people, and what people answer.

Offers `Intake`, which makes requests of what came, `Admission`, which lets none past the policy, and `Inbox`: `put`
stores and shows requests, `until` waits for them, `answer` takes an answer that was judged (`check_answer`,
`check_parsed`). What differs by the kind of a request is in `kinds`.

Promises: exactly one answer wins, in the store; every request ends with a reason; nothing is answered for a person but
a refusal or an expiry; secrets of pushed answers are never stored. Knows no session, server or call beyond plain data.
"""

from webclient.inbox.admission import Admission
from webclient.inbox.answers import CheckedAnswer, answer_of
from webclient.inbox.deadlines import Deadlines, Lengths, soon
from webclient.inbox.endings import Ending, cut_off, withdrawn
from webclient.inbox.inbox import Inbox
from webclient.inbox.intake import Intake, Source
from webclient.inbox.judging import check_answer, check_parsed, read_posted
from webclient.inbox.kinds import KINDS, Kind, kind_of, link_of
from webclient.inbox.links import links_of
from webclient.inbox.policy import FLOODS, Limits, RefusedError, muted

__all__ = [
    "FLOODS",
    "KINDS",
    "Admission",
    "CheckedAnswer",
    "Deadlines",
    "Ending",
    "Inbox",
    "Intake",
    "Kind",
    "Lengths",
    "Limits",
    "RefusedError",
    "Source",
    "answer_of",
    "check_answer",
    "check_parsed",
    "cut_off",
    "kind_of",
    "link_of",
    "links_of",
    "muted",
    "read_posted",
    "soon",
    "withdrawn",
]
