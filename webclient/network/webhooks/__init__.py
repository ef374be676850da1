"""Webhooks: signed messages to addresses that a person or a program named (Standard Webhooks 1.0).

Promises: a message is signed, so that its receiver knows who sent it, and when; it goes to the internet and to the
networks of the operator only, without following redirects; one post takes 15 seconds at most. What is sent, to whom,
and what survives a restart is the business of the rooms above: `pause_after` says when they try again, and `GIVE_UP`
until when; `until` sleeps until then; `Sending` gives each user a share of what is sent at once.
"""

from webclient.network.webhooks.retries import GIVE_UP, pause_after
from webclient.network.webhooks.sender import Webhook, Webhooks, is_secret, new_secret
from webclient.network.webhooks.sending import PAUSE, Sending
from webclient.network.webhooks.sleeping import until

__all__ = ["GIVE_UP", "PAUSE", "Sending", "Webhook", "Webhooks", "is_secret", "new_secret", "pause_after", "until"]
