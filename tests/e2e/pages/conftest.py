"""Stories in a real browser."""

from __future__ import annotations

from support.browser import browser, open_page, page, site

__all__ = ["browser", "open_page", "page", "site"]
