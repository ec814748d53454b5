"""Registry entries of fills for the chat: a proposal of a fill, and a tool that reads fills.

Importing this package registers them. The page of a table offers them by name, if this app is installed.
"""
from __future__ import annotations

from fills.chat_entries import fill_proposal, get_fills

__all__ = ["fill_proposal", "get_fills"]
