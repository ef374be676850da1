"""Carries what MCP servers ask an agent to the inbox of mcp-webclient, and the person's answers back.

`Inbox` is the callback for elicitation of the MCP SDK (1.x and 2.x, both eras), and of frameworks that take the same.
Its methods `fastmcp` and `langchain` are those of FastMCP and of langchain-mcp-adapters. The module `webhooks` verifies
answers that come by webhook.

`Inbox.approve` asks whether a tool may run, and gives a `Decision`.

Promises: each question is asked once, however often the network fails; a question that the agent no longer waits for is
withdrawn; nothing is accepted, and nothing approved, unless the person did so.
"""

from mcp_webclient_client.answers import MESSAGE, REASON, Answer, InboxError, TooManyQuestionsError
from mcp_webclient_client.approvals import Decision
from mcp_webclient_client.inbox import Inbox

__all__ = ["MESSAGE", "REASON", "Answer", "Decision", "Inbox", "InboxError", "TooManyQuestionsError"]
