"""Tools that know nothing of this program: background tasks, shared work, turns, JSON and logging."""
