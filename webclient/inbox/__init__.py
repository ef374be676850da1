"""The inbox: the input requests of servers, and the answers of people.

Exports `Intake`, which makes input requests of an `Arrival`; `Admission`, which applies the policy to them; and
`Inbox`: `put` stores and shows requests, `until` waits for them, `answer` takes an answer that was checked
(`check_answer`, `check_parsed`). `Decisions` takes those that can be undone for some seconds. `ProgramRequests` takes
the questions of programs, which fetch the answers. Everything that differs by kind is in `kinds`.

Promises: exactly one answer wins, in the store; every request ends with a reason; nothing is answered for a person but
a refusal or an expiry; secrets of pushed answers are never stored. Sessions, servers and calls are plain data here.
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
from webclient.inbox.deadlines import Deadlines, Lengths, soon
from webclient.inbox.decisions import Decisions
from webclient.inbox.endings import Ending, cut_off, withdrawal_of, withdrawn
from webclient.inbox.hosted_answers import HostedAnswers, HostedTaskError
from webclient.inbox.hosted_tasks import task_of
from webclient.inbox.inbox import Inbox
from webclient.inbox.intake import Arrival, Intake, Source
from webclient.inbox.kinds import KINDS, CheckedAnswer, Kind, is_automatic, kind_of, link_of
from webclient.inbox.kinds.sampling import answer_errors, as_sent, tool_mode, tools_of
from webclient.inbox.kinds.sampling_messages import Fault, blocks, fault_in, of_type
from webclient.inbox.links import links_of
from webclient.inbox.open_calls import OpenCall, waiting_calls
from webclient.inbox.policy import FLOODS, Limit, Limits, RefusedError, muted, rejection
from webclient.inbox.program_requests import LONGEST_DEADLINE, Asker, NewRequest, ProgramRequests
from webclient.inbox.pushed_requests import Pushed
from webclient.inbox.retention import Retention, RetentionPolicy

__all__ = [
    "FLOODS",
    "KINDS",
    "LONGEST_DEADLINE",
    "LONGEST_MESSAGE",
    "Admission",
    "Arrival",
    "Asker",
    "CheckedAnswer",
    "Deadlines",
    "Decisions",
    "Ending",
    "Fault",
    "HostedAnswers",
    "HostedTaskError",
    "Inbox",
    "Intake",
    "Kind",
    "Lengths",
    "Limit",
    "Limits",
    "NewRequest",
    "OpenCall",
    "ProgramRequests",
    "Pushed",
    "RefusedError",
    "Retention",
    "RetentionPolicy",
    "Source",
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
    "links_of",
    "muted",
    "of_type",
    "read_posted",
    "rejection",
    "result_of",
    "soon",
    "task_of",
    "tool_mode",
    "tools_of",
    "waiting_calls",
    "withdrawal_of",
    "withdrawn",
]
