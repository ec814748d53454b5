"""Registry entries of the application. Importing this package registers them."""
from pathlib import Path

from chat.help import register_folder
from tests.reports.chat_entries import (
    actions,
    flag_papers,
    links,
    newest_papers,
    paper_list,
    reading_list,
    reports,
    search_papers,
)

__all__ = [
    "actions",
    "flag_papers",
    "links",
    "newest_papers",
    "paper_list",
    "reading_list",
    "reports",
    "search_papers",
]

register_folder(Path(__file__).parent / "help")
