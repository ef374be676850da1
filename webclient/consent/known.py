"""Sites that are often imitated. The list does not judge a site, and a missing one costs little."""

from __future__ import annotations

_LISTED = """
adobe.com airbnb.com aliexpress.com alipay.com amazon.com americanexpress.com anthropic.com apple.com asana.com
atlassian.com att.com baidu.com bankofamerica.com barclays.co.uk binance.com bitbucket.org booking.com box.com
chase.com chatgpt.com citibank.com claude.ai cloudflare.com coinbase.com credit-suisse.com dhl.com discord.com
discordapp.com docusign.com dropbox.com ebay.com facebook.com fedex.com figma.com github.com gitlab.com gmail.com
google.com googlemail.com hotmail.com hsbc.com hubspot.com icloud.com instagram.com intuit.com kraken.com linear.app
linkedin.com
live.com mastercard.com metamask.io microsoft.com microsoft365.com microsoftonline.com netflix.com notion.site
notion.so office.com office365.com okta.com openai.com outlook.com paypal.com postfinance.ch proton.me reddit.com
revolut.com salesforce.com santander.com sharepoint.com shopify.com slack.com spotify.com steamcommunity.com
stripe.com taobao.com telegram.org tencent.com tiktok.com trello.com twitter.com ubs.com ups.com usps.com visa.com
wechat.com wellsfargo.com whatsapp.com wikipedia.org wise.com yahoo.com youtube.com zendesk.com zoom.us
"""

SITES = frozenset(_LISTED.split())

NAMES = frozenset(site.partition(".")[0] for site in SITES if len(site.partition(".")[0]) > 4)
"""Their first labels, if long enough to be unambiguous."""

WORDS = frozenset({"booking", "linear", "notion", "office", "outlook"})
"""Names that are English words as well, and part of many honest host names."""
