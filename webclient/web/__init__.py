"""The web: pages for people, the API for programs, and what both need of HTTP."""
