"""The inbox: the input requests of servers, and the answers of people.

Exports `Intake`, which receives what came in an `Arrival`; `Admission`, which applies the policy to it; `OpenCall`, the
part of a call that waits for a person; and `Inbox`: `put` stores and shows requests, `until` waits for them, `answer`
settles one with an answer from `check_answer` or `check_parsed`. `Decisions` delays declines and cancels, which can be
undone for some seconds. `ProgramRequests` takes the questions of programs, which fetch the answers. Everything that
differs by kind is in `kinds`.

Promises: exactly one answer wins, in the store; every request ends with a reason; nothing is answered for a person but
a refusal or an expiry; secrets of pushed answers are never stored. Sessions and servers are plain data here.
"""

from webclient.inbox.admission import Admission
from webclient.inbox.answers import (
    LONGEST_MESSAGE,
    already_settled,
    check_answer,
    check_parsed,
    read_posted,
    result_of,
)
from webclient.inbox.arrival import Arrival, Source
from webclient.inbox.deadlines import DeadlineLengths, Deadlines, soon
from webclient.inbox.decisions import Decisions
from webclient.inbox.delivery import Deliveries
from webclient.inbox.endings import Ending, cut_off, withdrawn
from webclient.inbox.inbox import Inbox
from webclient.inbox.intake import Intake
from webclient.inbox.kinds import KINDS, CheckedAnswer, Kind, is_automatic, kind_of, link_of
from webclient.inbox.kinds.approval import RESPOND, allowed, links_in
from webclient.inbox.kinds.sampling import answer_errors, as_sent, tool_mode, tools_of
from webclient.inbox.kinds.sampling_messages import Fault, blocks, fault_in, of_type
from webclient.inbox.links import OpenedLinks, links_of
from webclient.inbox.open_calls import OpenCall
from webclient.inbox.policy import FLOODS, Limit, Limits, RefusedError, muted, rejection
from webclient.inbox.prefill import texts_to_change
from webclient.inbox.program_requests import LONGEST_DEADLINE, Asker, NewRequest, ProgramRequests
from webclient.inbox.retention import Retention, RetentionPolicy

__all__ = [
    "FLOODS",
    "KINDS",
    "LONGEST_DEADLINE",
    "LONGEST_MESSAGE",
    "RESPOND",
    "Admission",
    "Arrival",
    "Asker",
    "CheckedAnswer",
    "DeadlineLengths",
    "Deadlines",
    "Decisions",
    "Deliveries",
    "Ending",
    "Fault",
    "Inbox",
    "Intake",
    "Kind",
    "Limit",
    "Limits",
    "NewRequest",
    "OpenCall",
    "OpenedLinks",
    "ProgramRequests",
    "RefusedError",
    "Retention",
    "RetentionPolicy",
    "Source",
    "allowed",
    "already_settled",
    "answer_errors",
    "as_sent",
    "blocks",
    "check_answer",
    "check_parsed",
    "cut_off",
    "fault_in",
    "is_automatic",
    "kind_of",
    "link_of",
    "links_in",
    "links_of",
    "muted",
    "of_type",
    "read_posted",
    "rejection",
    "result_of",
    "soon",
    "texts_to_change",
    "tool_mode",
    "tools_of",
    "withdrawn",
]
