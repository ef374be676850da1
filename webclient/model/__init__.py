"""The nouns of the product as plain data: server, call, input request and answer, with their states.

Rows of the store, events and cards are all made from these; nothing here does I/O.
"""

from webclient.model.answer_webhook import AnswerWebhook, WebhookState
from webclient.model.audit import ACTING, COMMAND_LINE, Actor, Acts, AuditAction, AuditEntry, acting, acting_by
from webclient.model.call import Call, CallError, CallKind, CallLog, CallState, LogEntry
from webclient.model.catalog import ArgumentValues, Catalog, TypedArgument
from webclient.model.common import LOCAL_USER, Json, ServerKey, Via, new_id, now
from webclient.model.embed_session import EmbedSession
from webclient.model.following import FollowedResource, ResourceUpdate
from webclient.model.notice import (
    DueNotice,
    Notice,
    NoticeSettings,
    NoticeTarget,
    QuietHours,
    TargetKind,
    WaitingRequest,
)
from webclient.model.program_token import EVERYONE, MutedProgram, ProgramToken
from webclient.model.reason import TEMPORARY, Param, Reason, ReasonCode
from webclient.model.request import (
    CHANGEABLE,
    EXCERPT,
    FETCH_TIME,
    UNSENT,
    Action,
    AnyRequest,
    CallContext,
    Came,
    Delivery,
    InputRequest,
    ListedRequest,
    Requester,
    RequesterKind,
    RequestState,
)
from webclient.model.root import Root
from webclient.model.sampling import Sampling, SamplingRule, Spent, Stage, Usage
from webclient.model.saved_session import SavedSession
from webclient.model.server import ELICITATION, ConnectionFault, Era, LogLevel, Mode, Server, ServerState, ServerStatus
from webclient.model.server_request import ServerRequest
from webclient.model.sign_in import Auth, Grant, PendingSignIn, Registration, SignInStep, SignInStepKind, Unauthorized
from webclient.model.task import Task, TaskStatus
from webclient.model.user import (
    HOST_ISSUER,
    LOCAL_PERSON,
    Browser,
    BrowserSession,
    OpenSession,
    Person,
    Role,
    SignInKey,
    SignInKind,
    User,
)

__all__ = [
    "ACTING",
    "CHANGEABLE",
    "COMMAND_LINE",
    "ELICITATION",
    "EVERYONE",
    "EXCERPT",
    "FETCH_TIME",
    "HOST_ISSUER",
    "LOCAL_PERSON",
    "LOCAL_USER",
    "TEMPORARY",
    "UNSENT",
    "Action",
    "Actor",
    "Acts",
    "AnswerWebhook",
    "AnyRequest",
    "ArgumentValues",
    "AuditAction",
    "AuditEntry",
    "Auth",
    "Browser",
    "BrowserSession",
    "Call",
    "CallContext",
    "CallError",
    "CallKind",
    "CallLog",
    "CallState",
    "Came",
    "Catalog",
    "ConnectionFault",
    "Delivery",
    "DueNotice",
    "EmbedSession",
    "Era",
    "FollowedResource",
    "Grant",
    "InputRequest",
    "Json",
    "ListedRequest",
    "LogEntry",
    "LogLevel",
    "Mode",
    "MutedProgram",
    "Notice",
    "NoticeSettings",
    "NoticeTarget",
    "OpenSession",
    "Param",
    "PendingSignIn",
    "Person",
    "ProgramToken",
    "QuietHours",
    "Reason",
    "ReasonCode",
    "Registration",
    "RequestState",
    "Requester",
    "RequesterKind",
    "ResourceUpdate",
    "Role",
    "Root",
    "Sampling",
    "SamplingRule",
    "SavedSession",
    "Server",
    "ServerKey",
    "ServerRequest",
    "ServerState",
    "ServerStatus",
    "SignInKey",
    "SignInKind",
    "SignInStep",
    "SignInStepKind",
    "Spent",
    "Stage",
    "TargetKind",
    "Task",
    "TaskStatus",
    "TypedArgument",
    "Unauthorized",
    "Usage",
    "User",
    "Via",
    "WaitingRequest",
    "WebhookState",
    "acting",
    "acting_by",
    "new_id",
    "now",
]
