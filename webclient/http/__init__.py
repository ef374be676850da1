"""What pages and API stand on: security, errors, templates, the context of a request, and event streams."""
