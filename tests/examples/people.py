"""A person in each example: signs in, has the agent ask something, and opens the inbox."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect

from tests.examples.chat import sees_no_requests

PLACES = ("plain", "messenger: message", "messenger: panel", "messenger: badge", "streamlit", "chainlit")
"""The examples, and where their page has the inbox."""

NARROW = 768
"""In a window that is narrower, the inbox of Chainlit covers its conversation until it is closed."""


async def enter(page: Page, place: str) -> None:
    """Sign in, unless one is: a page of Streamlit that is loaded again has forgotten who one is."""
    form, button = page.locator("#email"), page.get_by_role("button", name="Sign in as Ada")
    if place == "chainlit":
        await expect(form.or_(greeting(page))).to_be_visible()
        if await form.is_visible():
            await sign_in_to_chainlit(page, "ada")
    elif place == "streamlit" or await button.is_visible():
        await button.click()


async def ask(page: Page, place: str) -> None:
    """Sign in, and have the agent use a tool that asks."""
    await enter(page, place)
    if place == "chainlit":
        if page.viewport_size and page.viewport_size["width"] < NARROW:
            await page.get_by_role("button", name="Close").click()
            await expect(page.locator("mcp-inbox")).to_have_count(0)
        await say_in_chainlit(page, "Book me a trip")
    elif place == "streamlit":
        await sees_no_requests(page)
        await say_in_streamlit(page, f"Book me a trip at {page.viewport_size}")
    else:
        await page.get_by_role("button", name="Send").click()
        if place != "plain":
            await expect(page).to_have_title("(1) Team chat")
    await open_badge(page, place)


async def open_badge(page: Page, place: str) -> None:
    """Open the panel of a badge once a question waits."""
    if place == "messenger: badge":
        await expect(page).to_have_title("(1) Team chat")
        await page.locator("mcp-inbox").get_by_role("button", name="Questions for you").click()


async def sign_in_to_chainlit(page: Page, name: str) -> None:
    """Sign in as one of the people, by Chainlit's own form."""
    await page.locator("#email").fill(name)
    await page.locator("#password").fill(name)
    await page.keyboard.press("Enter")
    await expect(greeting(page)).to_be_visible()


def greeting(page: Page) -> Locator:
    """Return what the agent of Chainlit says first."""
    return page.get_by_text("I can book a trip").first


async def say_in_chainlit(page: Page, text: str) -> None:
    """Send a message."""
    await page.locator("#chat-input").click()
    await page.keyboard.type(text)
    await page.keyboard.press("Enter")


async def say_in_streamlit(page: Page, text: str) -> None:
    """Send a message in the conversation, and wait until it stands there."""
    await page.get_by_test_id("stChatInputTextArea").fill(text)
    await page.get_by_test_id("stChatInputTextArea").press("Enter")
    await expect(page.get_by_test_id("stChatMessageContent").get_by_text(text)).to_be_visible()
