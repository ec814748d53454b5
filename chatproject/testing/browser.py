"""Finds a Chromium for the browser tests, or brings one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from chatproject.bootstrap import install_debian, say

# The same Chromium without windows, tabs and a toolbar of its own, which nobody sees in tests: painting those is more
# than half of what a page costs.
BARE = ("chromium-headless-shell", "chrome-headless-shell")
NAMES = (*BARE, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Debian's packages; the second where there is none of the first.
DEBIAN = ("chromium-headless-shell", "chromium")
FONTS = "fonts-liberation"
ASK_PLAYWRIGHT = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


class NoBrowser(Exception):
    """There is no browser and none could be installed; the message says what was tried."""


def find_browser() -> str:
    """The path of a Chromium that starts: $CHROMIUM, PATH (a bare one first), Debian's (as root), Playwright's own."""
    given = os.environ.get("CHROMIUM")
    if given:
        if not _starts(given):
            raise NoBrowser(f"$CHROMIUM ({given}) does not start")
        return given
    return _on_path() or _debians() or _playwrights_own()


def _on_path() -> str | None:
    paths = (shutil.which(name) for name in NAMES)
    return next((path for path in paths if path and _starts(path)), None)


def _debians() -> str | None:
    brought = any(install_debian([package, FONTS], why="a browser for the tests") for package in DEBIAN)
    return _on_path() if brought else None


def _playwrights_own() -> str:
    path = _playwright_path()
    if not Path(path).exists():
        say("Downloading Chromium (playwright install chromium) …")
        install = [sys.executable, "-m", "playwright", "install", "chromium"]
        done = subprocess.run(install, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise NoBrowser("no Chromium on PATH, and `playwright install chromium` failed")
    if not _starts(path):
        raise NoBrowser(f"{path} does not start; run `playwright install-deps chromium` as root")
    return path


def _playwright_path() -> str:
    # In a process of its own: Playwright leaves an event loop behind.
    asked = subprocess.run([sys.executable, "-c", ASK_PLAYWRIGHT], check=False, capture_output=True, text=True)
    if asked.returncode != 0:
        raise NoBrowser(f"Playwright does not start: {asked.stderr.strip()[-300:]}")
    return asked.stdout.strip()


def _starts(path: str) -> bool:
    try:
        asked = subprocess.run([path, "--version"], check=False, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0
