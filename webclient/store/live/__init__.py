"""Live events: tells open pages and API streams of one process which row has changed.

`Hub.publish` names a row and never its content; `Hub.subscribe` gives one user's events from now on or after a cursor,
and a `Gap` where events were dropped, after which the subscriber reads everything again. Memory is bounded for each
subscriber.
"""

from webclient.store.live.hub import SIGNALS, Event, Gap, Hub, Kind, Listener, Subscription

__all__ = ["SIGNALS", "Event", "Gap", "Hub", "Kind", "Listener", "Subscription"]
