"""A user leaves the company: what ends with the account at the provider, with *Disable*, and after a while.

The runbook in docs/users.md, step by step.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.identity.oidc_front import TOKEN, Front, Make
from webclient.domain.model import now

OWN = {"Sec-Fetch-Site": "same-origin"}


def new_token(front: Front) -> dict[str, str]:
    """Make a token of the signed-in user; return the header of its program."""
    made = front.client.post("/api/v1/tokens", json={"label": "Agent", "scopes": ["read"]}, headers=OWN)
    return {"Authorization": f"Bearer {made.json()['secret']}"}


def answer_to(front: Front, program: dict[str, str]) -> Any:
    """Return the response to a program, without any cookie."""
    front.client.cookies.clear()
    return front.client.get("/api/v1/servers", headers=program)


def test_a_logout_at_the_provider_ends_no_token(front: Front) -> None:
    front.sign_in()
    program = new_token(front)
    token = front.fake.logout_token()
    assert front.client.post("/auth/backchannel-logout", data={"logout_token": token}).status_code == 200
    assert front.me() == 401
    assert answer_to(front, program).status_code == 200


def test_disabling_ends_the_tokens_that_the_provider_cannot(make: Make) -> None:
    front = make(oidc_allowed_groups=["staff"])
    front.sign_in()
    user, program = front.me()["user_id"], new_token(front)
    front.client.cookies.clear()
    front.fake.claims = {"groups": ["alumni"]}
    assert front.refusal(front.sign_in()) == (403, "not_allowed")
    assert answer_to(front, program).status_code == 200

    admin = {"Authorization": f"Bearer {TOKEN}"}

    def change(step: str) -> None:
        changed = front.client.post(f"/admin/users/{user}/{step}", headers=admin, data={"confirmed": "yes"})
        assert changed.status_code == 303, changed.text

    change("disable")
    assert answer_to(front, program).status_code == 401
    change("enable")
    assert answer_to(front, program).status_code == 200
    change("disable")
    change("delete")
    assert answer_to(front, program).status_code == 401


def test_tokens_stop_without_a_sign_in_and_work_after_the_next(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # A second sign-in within the same second would be the first one.
    monkeypatch.setattr("webclient.support.shared_work.LIFETIME", 0.0)
    front = make(sign_in_days=30)
    front.sign_in()
    assert 'id="sign-in-days"' in front.client.get("/tokens", headers=OWN).text
    program = new_token(front)
    assert answer_to(front, program).status_code == 200

    later = now() + timedelta(days=31)
    monkeypatch.setattr("webclient.auth.tokens.now", lambda: later)
    monkeypatch.setattr("webclient.store.users.users.now", lambda: later)
    refused = answer_to(front, program)
    assert (refused.status_code, "30" in refused.json()["detail"]) == (401, True)
    assert front.audit()[-1] == ("sign_in_refused", "token", "lapsed_user")
    assert front.client.get("/api/v1/servers", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200

    front.sign_in()
    assert answer_to(front, program).status_code == 200


def test_tokens_of_the_local_user_need_no_sign_in(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    front = make(identity=["local", "oidc"], sign_in_days=30)
    front.client.post("/login", data={"token": TOKEN}, headers=OWN)
    assert 'id="sign-in-days"' not in front.client.get("/tokens", headers=OWN).text
    program = new_token(front)
    later = now() + timedelta(days=3650)
    monkeypatch.setattr("webclient.auth.tokens.now", lambda: later)
    assert answer_to(front, program).status_code == 200
