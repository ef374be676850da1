"""The demo office: what a server must do that sends people to web pages, rule by rule and attack by attack."""
