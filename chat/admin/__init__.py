"""The chat in the admin: what it keeps, to be read, and what it is told and may do, to be changed."""
from chat.admin.configuration import ConfigurationAdmin
from chat.admin.conversations import ConversationAdmin, TraceAdmin
from chat.admin.feedback import FeedbackAdmin
from chat.admin.figures import FiguresAdmin
from chat.admin.records import PayloadAdmin, TokenUseAdmin, TurnAdmin

__all__ = [
    "ConfigurationAdmin", "ConversationAdmin", "FeedbackAdmin", "FiguresAdmin", "PayloadAdmin", "TokenUseAdmin",
    "TraceAdmin", "TurnAdmin",
]  # fmt: skip
