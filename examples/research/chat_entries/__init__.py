"""Registry entries of the application. Importing this package registers them."""
from pathlib import Path

from chat.help import register_folder
from examples.research.chat_entries import actions, payloads, setup_proposal, stream_page, streams_page, tools

__all__ = ["actions", "payloads", "setup_proposal", "stream_page", "streams_page", "tools"]

register_folder(Path(__file__).parent / "help")
