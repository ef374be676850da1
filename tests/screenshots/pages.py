"""The pages of the screenshots by name: where each is, and what is done there before its picture is taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shot:
    """A page: its address, in which {names} stand for ids of the scene.

    `press` is a button to press before the picture is taken, after which the page `shows` an element. A `brief` one is
    another state of a page, and is taken in four of the twelve views.
    """

    path: str
    press: str = ""
    shows: str = ""
    brief: bool = False


ACCEPT = "article.card button[name=action][value=accept]"

FIRST = {
    "demo": Shot("/demo", brief=True),
    "inbox-first": Shot("/", brief=True),
    "calls-first": Shot("/calls", brief=True),
}
"""The pages of a program that was just started."""

MAIN = {
    "inbox": Shot("/"),
    "question": Shot("/requests/{booking}"),
    "question-of-two": Shot("/requests/{guests}", brief=True),
    "confirmation": Shot("/requests/{deployment}", brief=True),
    "every-field": Shot("/requests/{fields}", brief=True),
    "every-field-wrong": Shot("/requests/{fields}", press=ACCEPT, shows=".error-summary", brief=True),
    "link": Shot("/requests/{link}", brief=True),
    "link-disguised": Shot("/requests/{disguised}"),
    "link-opened": Shot("/requests/{opened}", brief=True),
    "secrets": Shot("/requests/{password}", brief=True),
    "answered": Shot("/requests/{answered}", brief=True),
    "calls": Shot("/calls"),
    "call-waiting": Shot("/calls/{call-booking}"),
    "call-completed": Shot("/calls/{booked}"),
    "call-failed": Shot("/calls/{failed}", brief=True),
    "call-result": Shot("/calls/{postcard}", brief=True),
    "call-edit": Shot("/calls/{booked}/edit"),
    "call-log": Shot("/calls/{booked}/log"),
    "history": Shot("/history"),
    "history-nothing-found": Shot("/history?q=zeppelin", brief=True),
    "servers": Shot("/servers"),
    "tokens": Shot("/tokens", brief=True),
    "agents": Shot("/agents", brief=True),
    "rules": Shot("/rules", brief=True),
    "tools": Shot("/servers/{trips}/tools"),
    "tool": Shot("/servers/{trips}/tools/book_trip"),
    "prompt": Shot("/servers/{trips}/prompts/packing_list"),
    "template": Shot("/servers/{trips}/templates/trip%3A%2F%2Fdestinations%2F%7Bname%7D"),
    "permissions": Shot("/servers/{trips}/permissions"),
    "settings": Shot("/servers/{office}/settings"),
    "server-sign-in": Shot("/servers/{office}/sign-in"),
    "notifications": Shot("/notifications", brief=True),
    "log": Shot("/servers/{trips}/log?method=tools/call"),
    "log-message": Shot("/servers/{trips}/log/1"),
    "remove-server": Shot("/servers/{trips}/delete"),
    "not-found": Shot("/calls/nothing"),
}
SCENE = {"demo-question": Shot("/demo?scene=two")}
ATTACK = {"demo-attack": Shot("/demo?scene=disguised-link", brief=True)}
PROTECTED = {
    "inbox-sign-in": Shot("/", brief=True),
    "server-wants-sign-in": Shot("/sign-ins/{sign-in}"),
    "sign-in-result": Shot("/oauth/callback?state=none&code=none"),
}
SIGNED_OUT = {"sign-in": Shot("/login")}
USERS = {
    "users": Shot("/admin"),
    "user": Shot("/admin/users/{user}"),
    "audit-trail": Shot("/admin/audit"),
    "sign-ins": Shot("/account/sign-ins"),
}
"""The pages of a program that has several users."""

SHOTS = FIRST | MAIN | SCENE | ATTACK | PROTECTED | SIGNED_OUT | USERS
"""All pages, in the order of their pictures."""

ALIKE = {
    "/requests/alike": "has rows as the inbox",
    "/rules/insights": "has lists as the page of rules",
    "/requests/{request_id}/next": "leads on to the page of a question",
    "/servers/{server_id}": "shows the first tab of a server",
    "/servers/{server_id}/prompts": "has a list as that of the tools",
    "/servers/{server_id}/resources": "has a list as that of the tools",
    "/servers/{server_id}/resources/{name:path}": "has the form of a template",
    "/servers/{server_id}/templates": "has a list as that of the tools",
    "/servers/{server_id}/tasks": "has rows as the list of calls",
    "/servers/{server_id}/skills": "has a list as that of the tools",
    "/servers/{server_id}/skills/skill": "has files as the result of a call",
    "/servers/{server_id}/skills/file": "is not a page",
    "/servers/{server_id}/disconnect": "asks to confirm, as the removal of a server does",
    "/servers/{server_id}/mute": "asks to confirm, as the removal of a server does",
    "/requests/{request_id}/mute-program": "asks to confirm, as the removal of a server does",
    "/servers/{server_id}/decline-all": "asks to confirm, as the removal of a server does",
    "/oauth/result/{name}": "is where /oauth/callback leads on to",
    "/oauth/client.json": "is not a page",
    "/stream": "is not a page",
    "/servers/{server_id}/log/stream": "is not a page",
    "/calls/{call_id}/log/stream": "is not a page",
    "/calls/{call_id}/contents/{number}/picture": "is not a page",
    "/calls/{call_id}/contents/{number}/sound": "is not a page",
    "/calls/{call_id}/contents/{number}/download": "is not a page",
    "/calls/{call_id}/result.json": "is not a page",
    "/requests/{request_id}/request.json": "is not a page",
    "/requests/{request_id}/contents/{place}/picture": "is not a page",
    "/requests/{request_id}/contents/{place}/sound": "is not a page",
    "/servers/{server_id}/icons/{place}": "is not a page",
    "/healthz": "is not a page",
    "/service-worker.js": "is not a page",
    "/embed/v1.js": "is not a page",
    "/.well-known/oauth-protected-resource/mcp": "is for agents",
    "/.well-known/oauth-protected-resource/mcp/{server_id}": "is for agents",
    "/mcp": "is for agents",
    "/mcp/{server_id}": "is for agents",
    "/embed/{name}": "is empty until an application has signed its user in",
    "/panel/{name}": "is a part of that frame",
    "/panel/{name}/tab": "has cards as the page of a call",
    "/readyz": "is not a page",
}
"""Routes without a picture of their own, and why."""
