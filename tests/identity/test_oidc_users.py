"""Users of an OpenID provider: who may sign in, who administers, and what the audit trail has of it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from tests.identity.oidc_front import CLICK, TOKEN, Front, Make
from tests.oidc_provider.fake import ISSUER, FakeProvider
from webclient.domain.model import AuditAction, AuditEntry


def test_only_members_of_a_group_sign_in(make: Make) -> None:
    front = make(oidc_allowed_groups=["staff"])
    front.sign_in()
    user = front.me()["user_id"]
    front.client.cookies.clear()
    front.fake.claims = {"groups": ["alumni"]}
    assert front.refusal(front.sign_in()) == (403, "not_allowed")
    assert front.audit()[-1] == ("sign_in_refused", "oidc", "not_allowed")
    began = front.client.get("/auth/login?again=true&next=/calls", headers=CLICK)
    assert dict(parse_qsl(urlsplit(began.headers["location"]).query))["prompt"] == "login"
    front.fake.claims = {}
    front.sign_in()
    assert front.me()["user_id"] == user


def test_a_refused_stranger_does_not_become_a_user(make: Make) -> None:
    front = make(oidc_allowed_groups=["boss"])
    front.sign_in()
    assert [action for action, _way, _outcome in front.audit()] == ["sign_in_refused"]


def refused(front: Front) -> AuditEntry:
    """Return the last entry of the trail, which is of a refused sign-in."""
    store = front.client.app.state.services.store  # type: ignore[attr-defined]
    entry: AuditEntry = front.client.portal.call(store.audit.newest)[0]  # type: ignore[union-attr]
    assert entry.action is AuditAction.SIGN_IN_REFUSED
    return entry


def test_a_refusal_names_whom_the_provider_has_proved(make: Make) -> None:
    front = make(oidc_allowed_groups=["boss"])
    front.fake.claims = {"email": "ada@corp.example", "email_verified": True}
    front.sign_in()
    entry = refused(front)
    proved = {"issuer": ISSUER, "subject": "ada", "email": "ada@corp.example"}
    assert (entry.outcome, entry.user_id, entry.details) == ("not_allowed", "", proved)
    page = front.client.get("/admin/audit", headers={"Authorization": f"Bearer {TOKEN}", "Accept": "text/html"})
    # It may be broken before "@" and dots.
    assert "ada@corp.example" in page.text.replace("<wbr>", "")


def test_a_refusal_does_not_name_an_unverified_address(make: Make) -> None:
    front = make(oidc_allowed_groups=["boss"])
    front.fake.claims = {"email": "boss@corp.example", "email_verified": False}
    front.sign_in()
    assert refused(front).details == {"issuer": ISSUER, "subject": "ada"}


def test_a_refusal_of_a_known_user_is_theirs(make: Make) -> None:
    front = make(oidc_allowed_groups=["staff"])
    front.sign_in()
    user = front.me()["user_id"]
    front.client.cookies.clear()
    front.fake.claims = {"groups": ["alumni"]}
    front.sign_in()
    assert (refused(front).outcome, refused(front).user_id) == ("not_allowed", user)
    front.fake.claims = {}
    users = front.client.app.state.services.store.users  # type: ignore[attr-defined]
    front.client.portal.call(users.disable, user)  # type: ignore[union-attr]
    front.sign_in()
    assert (refused(front).outcome, refused(front).user_id) == ("disabled_user", user)


def test_an_answer_that_proves_no_person_names_none(make: Make) -> None:
    front = make()
    front.come_back({"code": "c", "state": "forged"})
    assert refused(front).details == {}


def test_the_first_sign_in_takes_over_the_user_who_was_added(make: Make) -> None:
    """By the address only if the provider has verified it."""
    front = make()
    admin = {"Authorization": f"Bearer {TOKEN}"}
    added = front.client.post("/api/v1/users", json={"email": "Ada@corp.example"}, headers=admin).json()
    assert (added["issuer"], added["awaited"]) == (ISSUER, True)
    front.fake.claims = {"sub": "eve", "email": "ada@corp.example", "email_verified": False}
    front.sign_in()
    assert front.me()["user_id"] != added["id"]
    front.client.cookies.clear()
    front.fake.claims = {"email": "ada@corp.example", "email_verified": True}
    front.sign_in()
    assert front.me()["user_id"] == added["id"]
    front.client.cookies.clear()
    front.fake.claims = {"sub": "new", "email": "ada@corp.example", "email_verified": True}
    front.sign_in()
    assert front.me()["user_id"] != added["id"]


def test_a_role_is_refreshed_at_each_sign_in(make: Make) -> None:
    front = make(FakeProvider(claims={"groups": ["boss"]}), oidc_admin_groups=["boss"])
    front.sign_in()
    assert front.me()["role"] == "admin"
    front.fake.claims = {"groups": []}
    front.client.cookies.clear()
    front.sign_in()
    assert front.me()["role"] == "user"


def test_the_first_administrator_is_named_by_subject(make: Make) -> None:
    front = make(admins=["ada"])
    front.sign_in()
    assert front.me()["role"] == "admin"
    front.client.cookies.clear()
    front.fake.claims = {"sub": "bob", "name": "ada"}
    front.sign_in()
    assert front.me()["role"] == "user"


def test_no_address_that_looks_alike_administers(make: Make) -> None:
    front = make(admins=["mark@corp.example"])
    for number, (email, role) in enumerate([("mar\u212a@corp.example", "user"), ("Mark@CORP.example", "admin")]):
        front.fake.claims = {"sub": f"s{number}", "email": email, "email_verified": True}
        front.sign_in()
        assert front.me()["role"] == role
        front.client.cookies.clear()


def test_an_administrator_is_named_as_the_sign_in_names_them(make: Make) -> None:
    front = make(admins=["Boss@Corp.example"])
    front.fake.claims = {"email": "Boss@Corp.example", "email_verified": True}
    front.sign_in()
    assert front.me()["role"] == "admin"


def test_an_invisible_character_takes_no_user_over(make: Make) -> None:
    front = make()
    admin = {"Authorization": f"Bearer {TOKEN}"}
    added = front.client.post("/api/v1/users", json={"email": "ada@corp.example"}, headers=admin).json()
    front.fake.claims = {"sub": "eve", "email": "ad\u200ba@corp.example", "email_verified": True}
    front.sign_in()
    assert front.me()["user_id"] != added["id"]


def test_a_disabled_user_is_refused(front: Front) -> None:
    front.fake.claims = {"sub": "carl"}
    front.sign_in()
    users = front.client.app.state.services.store.users  # type: ignore[attr-defined]
    front.client.portal.call(users.disable, front.me()["user_id"])  # type: ignore[union-attr]
    assert front.me() == 401
    front.client.cookies.clear()
    assert front.refusal(front.sign_in()) == (403, "disabled_user")


def test_an_id_is_not_an_email_address(front: Front) -> None:
    """An address that moves on to another person must not open the first one's inbox."""
    front.sign_in()
    user = front.me()["user_id"]
    front.client.cookies.clear()
    front.fake.claims = {"sub": "bob"}
    front.sign_in()
    assert front.me()["user_id"] != user


def test_forged_answers_fill_no_audit_trail(make: Make) -> None:
    front = make()
    for number in range(25):
        front.come_back({"code": "c", "state": str(number)})
    assert front.audit() == [("sign_in_refused", "oidc", "unknown_state")] * 2


# The session
