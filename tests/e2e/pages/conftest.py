"""Stories in a real browser."""

from __future__ import annotations

from support.browser import browser, fresh, go, open_page, page, site

__all__ = ["browser", "fresh", "go", "open_page", "page", "site"]
