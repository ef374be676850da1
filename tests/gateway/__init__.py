"""The gateway: agents as their own clients are, in front of real servers, with a person at the API."""
