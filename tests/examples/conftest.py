"""The browser, as the tests of pages have it."""

from tests.browser.conftest import chromium, playwright

__all__ = ["chromium", "playwright"]
