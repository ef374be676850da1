"""The pages where a person signs in at Demo Drive and decides what a client may see, and the files themselves."""

from __future__ import annotations

from urllib.parse import urlsplit

from mcp.server.auth.routes import create_auth_routes
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from webclient.demo.drive.authorization import Authorization
from webclient.demo.shelf import Shelf
from webclient.demo.site import go_to, middleware, page
from webclient.support.paths import STATIC

FILES = {
    "alice@drive.example": ["Lisbon tickets.pdf", "Packing list.txt", "Passport scan.pdf"],
    "bob@drive.example": ["Kyoto gardens.jpg", "Tax return.ods"],
}
"""The accounts, and what lies in each."""

ISSUER = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
"""Issuers are compared as text (RFC 8414 section 3.3), so none may get a slash that it was not given."""

SIGN_IN_SECONDS = 60 * 60
SIGN_INS = 1000


class Pages:
    """Sign-in and consent. The name of the wish travels through them; what it stands for stays here."""

    def __init__(self, authorization: Authorization, client_name: str, port: int) -> None:
        self._authorization = authorization
        self._client_name = client_name
        self._cookie = f"demo-drive-{port}"
        self._sign_ins = Shelf[str](seconds=SIGN_IN_SECONDS, room=SIGN_INS)

    def routes(self) -> list[Route]:
        """Return where the pages are."""
        return [
            Route("/consent", self.consent, methods=["GET"]),
            Route("/consent", self.decide, methods=["POST"]),
            Route("/sign-in", self.sign_in, methods=["POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
        ]

    async def consent(self, request: Request) -> Response:
        """Ask who it is, then whether they agree."""
        wish = request.query_params.get("wish", "")
        if not self._authorization.is_waiting(wish):
            return _over()
        account = self._account(request)
        if account is None:
            return page("drive/sign-in.html", accounts=list(FILES), wish=wish)
        return page("drive/consent.html", account=account, wish=wish, client=self._client_name)

    async def decide(self, request: Request) -> Response:
        """Send the browser back to the client, with a code or with a no."""
        form = await request.form()
        wish, account = str(form.get("wish", "")), self._account(request)
        if not self._authorization.is_waiting(wish):
            return _over()
        if account is None:
            return go_to(f"/consent?wish={wish}")
        if form.get("decision") == "allow":
            back = self._authorization.allow(wish, account)
        else:
            back = self._authorization.refuse(wish)
        return go_to(back) if back else _over()

    async def sign_in(self, request: Request) -> Response:
        """Sign in, in the demo by a click."""
        form = await request.form()
        account, wish = str(form.get("account", "")), str(form.get("wish", ""))
        if account not in FILES or not self._authorization.is_waiting(wish):
            return _over()
        response = go_to(f"/consent?wish={wish}")
        secure = request.url.scheme == "https"
        response.set_cookie(self._cookie, self._sign_ins.put(account), httponly=True, samesite="lax", secure=secure)
        return response

    async def sign_out(self, request: Request) -> Response:
        """Sign out, to use another account."""
        self._sign_ins.take(request.cookies.get(self._cookie))
        form = await request.form()
        wish = str(form.get("wish", ""))
        return go_to(f"/consent?wish={wish}") if self._authorization.is_waiting(wish) else _over()

    def _account(self, request: Request) -> str | None:
        return self._sign_ins.get(request.cookies.get(self._cookie))


def create_drive(issuer: str, client: OAuthClientInformationFull) -> Starlette:
    """Return Demo Drive, reached as `issuer`, which has this one client."""
    authorization, parts = Authorization(issuer, client), urlsplit(issuer)
    back = [f"{uri.scheme}://{uri.host}:{uri.port}" for uri in client.redirect_uris or []]
    pages = Starlette(
        routes=[
            *Pages(authorization, client.client_name or "A client", parts.port or 443).routes(),
            Mount("/static", StaticFiles(directory=STATIC / "css")),
        ],
        middleware=middleware(host=str(parts.hostname), forms_lead_to=back),
    )

    async def files(request: Request) -> Response:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        token = await authorization.load_access_token(given) if scheme.lower() == "bearer" else None
        if token is None:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        account = str(token.subject)
        return JSONResponse({"account": account, "files": FILES[account]}, headers={"Cache-Control": "no-store"})

    # Codes and tokens are asked for by programs, so these are beside the pages and their checks.
    oauth = create_auth_routes(authorization, ISSUER.validate_python(issuer))
    return Starlette(routes=[*oauth, Route("/files", files), Mount("/", pages)])


def _over() -> Response:
    return page("drive/over.html", status=400)
