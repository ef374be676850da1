"""The rows of servers, and of the sign-ins at them."""
