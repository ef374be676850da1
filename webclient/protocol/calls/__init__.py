"""Requests that a session sends: tools, prompts, resources, tasks, and suggestions of values."""
