"""What people and programs see: pages, the API, and what both need of HTTP."""
