"""What servers ask and what people answer, in one place, with one winner."""

from webclient.inbox.admission import Admission
from webclient.inbox.answers import CheckedAnswer, answer_of
from webclient.inbox.deadlines import Deadlines, Lengths
from webclient.inbox.inbox import Inbox
from webclient.inbox.judging import check_answer, check_parsed, read_posted
from webclient.inbox.kinds import KINDS, Kind, kind_of, link_of
from webclient.inbox.links import links_of
from webclient.inbox.policy import RefusedError

__all__ = [
    "KINDS",
    "Admission",
    "CheckedAnswer",
    "Deadlines",
    "Inbox",
    "Kind",
    "Lengths",
    "RefusedError",
    "answer_of",
    "check_answer",
    "check_parsed",
    "kind_of",
    "link_of",
    "links_of",
    "read_posted",
]
