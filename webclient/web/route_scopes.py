"""Which scope each route needs: the one table of what a program with a token may do.

`tests/test_route_scopes.py` fails for a route without an entry. A principal with the scope `admin` may use every route.
"""

from __future__ import annotations

from collections.abc import Iterator

from webclient.auth import Scope
from webclient.web.http import RouteScopes

ANY, ASK, READ, ANSWER, GATEWAY, ADMIN = (
    frozenset(Scope),
    frozenset({Scope.ASK}),
    frozenset({Scope.READ}),
    frozenset({Scope.ANSWER}),
    frozenset({Scope.GATEWAY}),
    frozenset({Scope.ADMIN}),
)

_API = {
    ANY: "GET /openapi.json  GET /me",
    # The route itself shows a program that may only ask what it has asked, and nothing else.
    ASK | READ: "GET /requests/{request_id}",
    ASK | GATEWAY: """
        GET /authorize/{server}  POST /authorize/{server}  DELETE /authorize/{server}
        GET /authorize/{server}/{rest:path}  POST /authorize/{server}/{rest:path}
        DELETE /authorize/{server}/{rest:path}
    """,
    ASK: "POST /requests  POST /requests/{request_id}/withdraw",
    READ: """
        GET /servers  GET /servers/{server_id}
        GET /servers/{server_id}/tools  GET /servers/{server_id}/prompts  GET /servers/{server_id}/resources
        GET /servers/{server_id}/resource-templates  GET /servers/{server_id}/messages  GET /servers/{server_id}/tasks
        GET /servers/{server_id}/skills  GET /servers/{server_id}/skills/entry  GET /servers/{server_id}/skills/file
        GET /servers/{server_id}/sampling  GET /servers/{server_id}/followed  GET /servers/{server_id}/log.jsonl
        GET /calls  GET /calls/{call_id}  GET /calls/{call_id}/log  GET /calls/{call_id}/log.jsonl
        GET /requests  GET /rules  GET /rules/insights  GET /models  GET /history  GET /history.jsonl  GET /events
    """,
    ANSWER: """
        POST /requests/{request_id}/answer  POST /requests/{request_id}/more-time  POST /requests/{request_id}/reopen
        POST /requests/{request_id}/finished  POST /requests/{request_id}/give-up
        PATCH /requests/{request_id}/sampling  POST /requests/{request_id}/generate  POST /requests/{request_id}/stop
        POST /servers/{server_id}/decline-all
        PUT /rules
    """,
    ADMIN: """
        POST /servers  PATCH /servers/{server_id}  DELETE /servers/{server_id}
        POST /servers/{server_id}/connect  POST /servers/{server_id}/disconnect
        POST /servers/{server_id}/sign-in  DELETE /servers/{server_id}/sign-in  POST /servers/{server_id}/sign-out
        POST /servers/{server_id}/sign-in/register
        POST /servers/{server_id}/tasks
        POST /calls  POST /calls/{call_id}/cancel  POST /calls/{call_id}/retry
        GET /tokens  POST /tokens  DELETE /tokens/{token_id}  POST /reload
        GET /users  POST /users  GET /users/{user_id}  DELETE /users/{user_id}
        POST /users/{user_id}/disable  POST /users/{user_id}/enable
        GET /users/{user_id}/sign-ins  DELETE /users/{user_id}/sign-ins
        DELETE /users/{user_id}/sign-ins/{session_id}
        GET /users/{user_id}/tokens  DELETE /users/{user_id}/tokens/{token_id}
        GET /users/{user_id}/servers  DELETE /users/{user_id}/servers/{server_id}
        GET /audit  GET /audit.jsonl
    """,
}

_PAGES = {
    ANY: "POST /logout",
    READ: """
        GET /  GET /requests/alike
        GET /requests/{request_id}  GET /requests/{request_id}/next  GET /requests/{request_id}/request.json
        GET /requests/{request_id}/contents/{place}/picture  GET /requests/{request_id}/contents/{place}/sound
        GET /sign-ins/{sign_in_id}  GET /demo
        GET /servers  GET /servers/{server_id}  GET /servers/{server_id}/tasks
        GET /servers/{server_id}/tools  GET /servers/{server_id}/tools/{name:path}
        GET /servers/{server_id}/prompts  GET /servers/{server_id}/prompts/{name:path}
        GET /servers/{server_id}/resources  GET /servers/{server_id}/resources/{name:path}
        GET /servers/{server_id}/templates  GET /servers/{server_id}/templates/{name:path}
        GET /servers/{server_id}/skills  GET /servers/{server_id}/skills/skill  GET /servers/{server_id}/skills/file
        GET /servers/{server_id}/icons/{place}
        GET /servers/{server_id}/log  GET /servers/{server_id}/log/stream  GET /servers/{server_id}/log/{number}
        GET /calls  GET /calls/{call_id}  GET /calls/{call_id}/log  GET /calls/{call_id}/log/stream
        GET /calls/{call_id}/contents/{number}/picture  GET /calls/{call_id}/contents/{number}/sound
        GET /calls/{call_id}/contents/{number}/download  GET /calls/{call_id}/result.json
        GET /history  GET /stream  GET /panel/{name}  GET /panel/{name}/tab  POST /panel/{name}/code
    """,
    ANSWER: """
        POST /requests/alike  POST /requests/approve  POST /requests/decline  POST /requests/undo  POST /requests/send
        POST /requests/{request_id}  POST /requests/{request_id}/preview  POST /requests/{request_id}/check
        POST /requests/{request_id}/more-time  POST /requests/{request_id}/reopen
        POST /requests/{request_id}/finished  POST /requests/{request_id}/give-up  POST /requests/{request_id}/undo
        POST /requests/{request_id}/draft  POST /requests/{request_id}/compose  POST /requests/{request_id}/changes
        POST /requests/{request_id}/run  POST /requests/{request_id}/stop  POST /requests/{request_id}/reset
        POST /requests/{request_id}/open
        POST /requests/{request_id}/rule
        GET /requests/{request_id}/mute-program  POST /requests/{request_id}/mute-program
        POST /panel/sign-ins/{sign_in_id}/dismiss  POST /panel/sign-ins/{sign_in_id}/register
        POST /panel/requests/{request_id}/mute
        POST /panel/servers/{server_id}/unmute  POST /panel/programs/{asker_id}/unmute
        GET /servers/{server_id}/decline-all  POST /servers/{server_id}/decline-all
    """,
    # The route `/visible` itself takes people and frames only.
    ADMIN: """
        POST /visible  POST /requests/{request_id}/stop-call
        POST /sign-ins/{sign_in_id}/open  POST /sign-ins/{sign_in_id}/register  POST /sign-ins/{sign_in_id}/dismiss
        POST /advance  POST /run-demo  POST /demo/run  POST /demo/stop  POST /demo/decline-all  POST /demo/reset
        POST /servers  POST /servers/reload  POST /servers/{server_id}/log-level  POST /servers/{server_id}/log/clear
        POST /servers/{server_id}/connect  POST /servers/{server_id}/refresh  POST /servers/{server_id}/era
        GET /servers/{server_id}/disconnect  POST /servers/{server_id}/disconnect
        GET /servers/{server_id}/delete  POST /servers/{server_id}/delete
        POST /servers/{server_id}/calls  POST /servers/{server_id}/form  POST /servers/{server_id}/preview
        POST /servers/{server_id}/complete  POST /servers/{server_id}/check
        GET /servers/{server_id}/permissions  POST /servers/{server_id}/modes
        POST /servers/{server_id}/extensions  POST /servers/{server_id}/roots
        GET /servers/{server_id}/mute  POST /servers/{server_id}/mute  POST /servers/{server_id}/unmute
        POST /servers/{server_id}/sampling  POST /servers/{server_id}/sampling/ask  POST /servers/{server_id}/website
        GET /servers/{server_id}/settings  POST /servers/{server_id}/settings
        GET /servers/{server_id}/sign-in  POST /servers/{server_id}/sign-in  POST /servers/{server_id}/sign-out
        POST /servers/{server_id}/sign-in/settings  POST /servers/{server_id}/token  POST /servers/{server_id}/tasks
        POST /servers/{server_id}/follow  POST /servers/{server_id}/unfollow
        POST /calls/{call_id}/cancel  POST /calls/{call_id}/retry  GET /calls/{call_id}/edit
        POST /calls/{call_id}/contents/{number}/read
        GET /account/sign-ins  POST /account/sign-ins/end-others  POST /account/sign-ins/{session_id}/end
        GET /rules/insights  GET /rules  POST /rules
        POST /rules/{rule_id}/remove  POST /rules/{rule_id}/up  POST /rules/{rule_id}/count
        GET /agents  GET /tokens  POST /tokens  POST /tokens/{token_id}/revoke
        POST /tokens/muted/{asker_id}/unmute  POST /tokens/{token_id}/mute  POST /tokens/{token_id}/unmute
        POST /tokens/{token_id}/pass-on
        GET /notifications  POST /notifications  POST /notifications/webhooks  POST /notifications/browsers
        POST /notifications/targets/{target_id}/test  POST /notifications/targets/{target_id}/remove
    """,
}

_AGENTS = {
    GATEWAY: """
        GET /mcp  POST /mcp  DELETE /mcp  GET /mcp/{server_id}  POST /mcp/{server_id}  DELETE /mcp/{server_id}
    """,
}


def _entries() -> Iterator[tuple[str, frozenset[Scope]]]:
    for prefix, table in (("/api/v1", _API), ("", _PAGES), ("", _AGENTS)):
        for scopes, text in table.items():
            words = text.split()
            for method, path in zip(words[::2], words[1::2], strict=True):
                yield f"{method} {prefix}{path}", scopes


ROUTE_SCOPES = RouteScopes(dict(_entries()))
"""The scopes of every route that needs a principal: one of them is enough."""
