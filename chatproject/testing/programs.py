"""Finds or installs the programs that tests need: Chromium, nginx and Redis."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from chatproject.startup.bootstrap import install_debian, print_line

# Chromium without its user interface, which takes more than half of the time of a page.
HEADLESS_SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
NAMES = (*HEADLESS_SHELLS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Debian packages; the second if the first does not exist.
BROWSER_PACKAGES = ("chromium-headless-shell", "chromium")
FONTS = "fonts-liberation"
PRINT_PLAYWRIGHT_PATH = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


class NoBrowser(Exception):
    """There is no browser, and none could be installed. The message lists the attempts."""


def find_browser() -> str:
    """Return the path of a Chromium: $CHROMIUM, on PATH, Debian's (installed as root), or Playwright's own.

    Raises NoBrowser.
    """
    chromium = os.environ.get("CHROMIUM")
    if chromium:
        if not _starts(chromium):
            raise NoBrowser(f"$CHROMIUM ({chromium}) does not start")
        return chromium
    return _on_path() or _from_debian() or _from_playwright()


def _on_path() -> str | None:
    paths = (shutil.which(name) for name in NAMES)
    return next((path for path in paths if path and _starts(path)), None)


def _from_debian() -> str | None:
    installed = any(install_debian([package, FONTS], why="a browser for the tests") for package in BROWSER_PACKAGES)
    return _on_path() if installed else None


def _from_playwright() -> str:
    path = _playwright_path()
    if not Path(path).exists():
        print_line("Downloading Chromium (playwright install chromium) …")
        install = [sys.executable, "-m", "playwright", "install", "chromium"]
        done = subprocess.run(install, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise NoBrowser("no Chromium on PATH, and `playwright install chromium` failed")
    if not _starts(path):
        raise NoBrowser(f"{path} does not start; run `playwright install-deps chromium` as root")
    return path


def _playwright_path() -> str:
    # In a separate process, because Playwright leaves an event loop running.
    command = [sys.executable, "-c", PRINT_PLAYWRIGHT_PATH]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise NoBrowser(f"Playwright does not start: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


def _starts(path: str) -> bool:
    try:
        done = subprocess.run([path, "--version"], check=False, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


# Folders that may not be on the PATH of users.
SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin")
# Programs, whose Debian packages have the same names.
SERVERS = ("nginx", "redis-server")


def find_servers() -> dict[str, str | None]:
    """Return the path of each program, or None. As root on Debian they are installed if they are missing."""
    missing = [name for name in SERVERS if _find_server(name) is None]
    if missing:
        install_debian(missing, why="tests of several processes")
    return {name: _find_server(name) for name in SERVERS}


def _find_server(name: str) -> str | None:
    folders = (path for folder in SYSTEM_FOLDERS if (path := shutil.which(name, path=folder)))
    return shutil.which(name) or next(folders, None)
