"""Users of an OpenID provider: who may sign in, who administers, and what the audit trail has of it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from tests.identity.oidc_front import CLICK, Front, Make
from tests.oidc_provider.fake import FakeProvider


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
