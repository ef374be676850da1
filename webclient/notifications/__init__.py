"""Notices: tell a person elsewhere that a question waits, by Web Push or a signed webhook, if they asked for that.

Promises: a notice names who asks and leads to the one card, and never has anything of the question; it is sent when a
question has waited for a while and no page of ours is visible; several questions are one notice, at most one a minute,
and fewer while none is heeded; a restart neither forgets nor repeats one. The events of `store/live/` say when to look:
a user without targets costs nothing.
"""

from webclient.notifications.content import link_to
from webclient.notifications.notices import MOST_TARGETS, Notices
from webclient.notifications.web_push import PushSubscription, is_push_service, new_key, public_key_of

__all__ = ["MOST_TARGETS", "Notices", "PushSubscription", "is_push_service", "link_to", "new_key", "public_key_of"]
