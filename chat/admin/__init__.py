"""The chat in the admin: records of users, read only, and the configuration of the assistant.

Read `read_only` (base of the record pages), `access_log`, `conversations`, `feedback`, `records`, `figures` with
`charts`, and then `configuration`.
"""
from chat.admin.configuration import ConfigurationAdmin
from chat.admin.conversations import ConversationAdmin, TraceAdmin
from chat.admin.feedback import FeedbackAdmin
from chat.admin.figures import FiguresAdmin
from chat.admin.records import PayloadAdmin, TokenUseAdmin, TurnAdmin

__all__ = [
    "ConfigurationAdmin", "ConversationAdmin", "FeedbackAdmin", "FiguresAdmin", "PayloadAdmin", "TokenUseAdmin",
    "TraceAdmin", "TurnAdmin",
]  # fmt: skip
