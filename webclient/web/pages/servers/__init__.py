"""The pages of servers: what each one has, how it is set up, and the messages that passed."""
