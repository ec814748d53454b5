"""The chat in the admin: what it keeps, to be read, and what it is told and may do, to be changed."""
from chat.admin.configuration import ConfigurationAdmin
from chat.admin.figures import FiguresAdmin
from chat.admin.records import ReadOnly

__all__ = ["ConfigurationAdmin", "FiguresAdmin", "ReadOnly"]
