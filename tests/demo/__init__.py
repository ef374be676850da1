"""The demo server through the SDK's own client: each test runs in both eras, over stdio and over HTTP."""
