"""Describe the page of a failed test: its state, missing files, last responses, focus, toasts, chat, sockets."""
from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page

DESCRIPTION = """() => {
  const received = performance.getEntriesByType("resource").filter((each) => each.responseEnd).map((each) => each.name);
  const requested = [...document.querySelectorAll("script[src], link[rel$=load], link[rel=stylesheet], img[src]")]
    .map((each) => each.src ?? each.href);
  const missing = requested.filter((url) => !received.includes(url));
  const focus = document.activeElement?.cloneNode(false).outerHTML.slice(0, 300);
  const toasts = [...document.querySelectorAll(".toast")].map((each) => each.textContent.trim().replace(/\\s+/g, " "));
  const chat = document.querySelector("[role=log]")?.innerText.replace(/\\s+/g, " ").slice(-800);
  return [
    `${location.pathname} is ${document.readyState}; not received: ${missing.join(", ") || "nothing"}`,
    `last received: ${received.slice(-12).join(", ")}`,
    `focus: ${focus}; toasts: ${toasts.join(" | ") || "none"}`,
    `chat: ${chat || "empty"}`,
  ].join("\\n");
}"""
SOCKETS = Path("/proc/net/tcp")
TIME_WAIT = "06"


def describe_page(page: Page) -> str:
    return f"{page.evaluate(DESCRIPTION)}\n{_connections(urlsplit(page.url).port)}"


def _connections(port: int | None) -> str:
    """Return the sockets of the app's port, from /proc: local and remote port, state, unsent and unread bytes."""
    if port is None or not SOCKETS.is_file():
        return ""
    lines = ["from -> to, state, unsent:unread (bytes, hexadecimal)"]
    for line in SOCKETS.read_text(encoding="ascii").splitlines()[1:]:
        _, here, there, state, queues, *_ = line.split()
        ports = [int(address.rpartition(":")[2], 16) for address in (here, there)]
        if port in ports and state != TIME_WAIT:
            lines.append(f"{ports[0]} -> {ports[1]}, {state}, {queues}")
    return "\n".join(lines)
