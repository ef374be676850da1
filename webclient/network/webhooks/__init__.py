"""Webhooks: signed messages to addresses that a person or a program named (Standard Webhooks 1.0).

Promises: a message is signed, so that its receiver knows who sent it, and when; it goes to the internet and to the
networks of the operator only, without following redirects; one post takes 15 seconds at most. What is sent, to whom,
and what survives a restart is the business of the rooms above: `pause_after` says when they try again, and `GIVE_UP`
until when; `until` sleeps until then; `Outbox` sends what a store holds, with a share for each user.
"""

from webclient.network.webhooks.outbox import GIVE_UP, Outbox, pause_after, until
from webclient.network.webhooks.sender import Webhook, Webhooks, is_secret, new_secret

__all__ = ["GIVE_UP", "Outbox", "Webhook", "Webhooks", "is_secret", "new_secret", "pause_after", "until"]
