"""Tests of `webclient.content.forms`; a test named after a point holds that point of docs/forms.md."""
