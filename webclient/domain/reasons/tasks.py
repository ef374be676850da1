"""How tasks end without a result, and what becomes of the answers to their questions."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Sentence

ENDED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.TASK_UNKNOWN: N_("The server no longer knows the task as which this call ran."),
    ReasonCode.TASK_EXPIRED: N_("The server kept the task for {duration}, and that time ran out."),
    ReasonCode.TASK_FAILED: N_("The task failed, and the server did not say why."),
    ReasonCode.TASK_FAILED_SAYING: N_("The task failed: “{said}”"),
    ReasonCode.TASK_CANCELLED: N_("The server cancelled the task."),
    ReasonCode.TASK_CANCELLED_SAYING: N_("The server cancelled the task: “{said}”"),
    ReasonCode.TASK_UNEXPECTED: N_("The server made a task of a request that cannot run as one."),
    ReasonCode.TASK_OTHER_ERA: N_(
        "The task was created in MCP {created}, and the server now speaks {now}, in which it cannot be reached."
    ),
    ReasonCode.ANSWER_REFUSED: N_("The server did not take your answer: “{said}”"),
}
