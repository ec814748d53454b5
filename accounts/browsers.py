"""Names of browsers and systems, from what browsers say about themselves."""
from __future__ import annotations

# The first that is found: browsers also name those that they want to be taken for.
BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)  # fmt: skip
SYSTEMS = (
    ("Windows", "Windows"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser_name(user_agent: str) -> str:
    """Return, for example, "Firefox, Windows"; "" for what is not known."""
    found = (next((name for mark, name in names if mark in user_agent), "") for names in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in found if name)
