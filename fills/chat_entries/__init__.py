"""Registry entries of fills for the chat: a proposal of a fill, a tool that reads fills, and a help topic.

Importing this package registers them. The page of a table offers them by name, if this app is installed.
"""
from __future__ import annotations

from pathlib import Path

from chat.help import register_folder
from fills.chat_entries import fill_proposal, get_fills

__all__ = ["fill_proposal", "get_fills"]

register_folder(Path(__file__).parent / "help")
