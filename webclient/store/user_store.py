"""The rows of one user. Its methods take no user id, so no query can reach another user's rows."""

from __future__ import annotations

from webclient.store.calls.agent_calls import UserAgentCalls
from webclient.store.calls.calls import UserCalls
from webclient.store.calls.logs import UserLogs
from webclient.store.changes import Changes, UserChanges
from webclient.store.database.database import Database
from webclient.store.database.node import Node
from webclient.store.database.sealing import Sealer
from webclient.store.requests.answer_webhooks import UserAnswerWebhooks
from webclient.store.requests.approvals import UserApprovals
from webclient.store.requests.drafts import UserDrafts
from webclient.store.requests.earlier_requests import UserEarlierRequests
from webclient.store.requests.history import UserHistory
from webclient.store.requests.hosted_tasks import UserHostedTasks
from webclient.store.requests.inbox_rows import UserInbox
from webclient.store.requests.links import UserLinks
from webclient.store.requests.muted_programs import UserMutedPrograms
from webclient.store.requests.request_lists import UserRequestLists
from webclient.store.requests.requests import UserRequests
from webclient.store.requests.requests_of_calls import UserRequestsOfCalls
from webclient.store.requests.rounds import UserRounds
from webclient.store.requests.samplings import UserSamplings
from webclient.store.servers.grants import UserGrants
from webclient.store.servers.registrations import UserRegistrations
from webclient.store.servers.saved_sessions import UserSavedSessions
from webclient.store.servers.servers import UserServers
from webclient.store.servers.sign_ins import UserSignIns
from webclient.store.servers.step_ups import UserStepUps
from webclient.store.servers.task_choices import UserTaskChoices
from webclient.store.users.notices import UserNotices
from webclient.store.users.program_tokens import UserTokens
from webclient.store.users.watched_sign_ins import WatchedSignIns
from webclient.support.shared_work import SharedWork


class UserStore:
    """The rows of one user; a foreign id finds nothing here, and changes nothing."""

    def __init__(
        self,
        database: Database,
        user_id: str,
        node: Node,
        shared: SharedWork[Changes],
        sealer: Sealer,
        *,
        watched: WatchedSignIns,
    ) -> None:
        self._database = database
        self._sealer = sealer
        self.user_id = user_id
        self._node = node
        self._shared = shared
        self._watched = watched

    async def check_home(self) -> None:
        """Raise MovedError if the user lives on another node: before work that is not only on their rows."""
        if self._node.shares:
            await self._database.write(self._node.fence, self.user_id)

    @property
    def servers(self) -> UserServers:
        """The configured servers."""
        return UserServers(self._database, self.user_id, self._node, self._sealer)

    @property
    def calls(self) -> UserCalls:
        """The calls, from their start to their result."""
        return UserCalls(self._database, self.user_id, self._node)

    @property
    def agent_calls(self) -> UserAgentCalls:
        """The calls of tools by agents."""
        return UserAgentCalls(self._database, self.user_id, self._node)

    @property
    def approvals(self) -> UserApprovals:
        """The questions whether a call of an agent may run."""
        return UserApprovals(self._database, self.user_id, self._node)

    @property
    def logs(self) -> UserLogs:
        """The log messages of calls."""
        return UserLogs(self._database, self.user_id, self._node)

    @property
    def requests(self) -> UserRequests:
        """The input requests."""
        return UserRequests(self._database, self.user_id, self._node)

    @property
    def request_lists(self) -> UserRequestLists:
        """Lists of the input requests."""
        return UserRequestLists(self._database, self.user_id, self._node)

    @property
    def requests_of_calls(self) -> UserRequestsOfCalls:
        """The input requests of several calls together."""
        return UserRequestsOfCalls(self._database, self.user_id, self._node)

    @property
    def earlier_requests(self) -> UserEarlierRequests:
        """What the user did with earlier requests."""
        return UserEarlierRequests(self._database, self.user_id, self._node)

    @property
    def inbox(self) -> UserInbox:
        """The input requests as the inbox lists them."""
        return UserInbox(self._database, self.user_id, self._node)

    @property
    def links(self) -> UserLinks:
        """The links among the input requests."""
        return UserLinks(self._database, self.user_id, self._node)

    @property
    def rounds(self) -> UserRounds:
        """The saved answers of rounds."""
        return UserRounds(self._database, self.user_id, self._node)

    @property
    def hosted_tasks(self) -> UserHostedTasks:
        """The input requests that servers want as tasks."""
        return UserHostedTasks(self._database, self.user_id, self._node)

    @property
    def samplings(self) -> UserSamplings:
        """The sampling requests, and what servers have used of models."""
        return UserSamplings(self._database, self.user_id, self._node)

    @property
    def drafts(self) -> UserDrafts:
        """The drafts of answers."""
        return UserDrafts(self._database, self.user_id, self._node)

    @property
    def history(self) -> UserHistory:
        """Settled requests and ended calls together."""
        return UserHistory(self._database, self.user_id, self._node)

    @property
    def changes(self) -> UserChanges:
        """The rows that events name, for streams."""
        return UserChanges(self._database, self.user_id, self._node, self._shared, self._sealer)

    @property
    def sign_ins(self) -> UserSignIns:
        """The sign-ins to servers that wait for the user."""
        return UserSignIns(self._database, self.user_id, self._node, self._sealer)

    @property
    def grants(self) -> UserGrants:
        """The tokens for servers."""
        return UserGrants(self._database, self.user_id, self._node, self._sealer)

    @property
    def saved_sessions(self) -> UserSavedSessions:
        """The sessions that are resumed on the next connection."""
        return UserSavedSessions(self._database, self.user_id, self._node, self._sealer)

    @property
    def registrations(self) -> UserRegistrations:
        """The clients that were registered with authorization servers."""
        return UserRegistrations(self._database, self.user_id, self._node, self._sealer)

    @property
    def step_ups(self) -> UserStepUps:
        """How often the user was asked for more scopes."""
        return UserStepUps(self._database, self.user_id, self._node)

    @property
    def task_choices(self) -> UserTaskChoices:
        """The tools that the user runs as a task where they may choose."""
        return UserTaskChoices(self._database, self.user_id, self._node)

    @property
    def notices(self) -> UserNotices:
        """The notices, their settings and where they go."""
        return UserNotices(self._database, self.user_id, self._node, self._sealer)

    @property
    def answer_webhooks(self) -> UserAnswerWebhooks:
        """The webhooks that tell programs how their questions ended."""
        return UserAnswerWebhooks(self._database, self.user_id, self._node, self._sealer)

    @property
    def muted_programs(self) -> UserMutedPrograms:
        """The programs of others that the user has muted."""
        return UserMutedPrograms(self._database, self.user_id, self._node)

    @property
    def tokens(self) -> UserTokens:
        """The tokens of programs."""
        return UserTokens(self._database, self.user_id, self._node, self._watched)
