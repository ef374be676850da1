"""The servers of a user: their connections, sign-ins, icons, and the files that name them."""
