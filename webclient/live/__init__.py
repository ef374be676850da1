"""Who must be told: events from what happens here to open pages and API streams."""

from webclient.live.hub import Event, Gap, Hub, Kind, Listener, Subscription

__all__ = ["Event", "Gap", "Hub", "Kind", "Listener", "Subscription"]
