"""What the database keeps of the chat."""
from chat.models.configuration import Configuration, ConfigurationChange, Override
from chat.models.conversations import Conversation, Message, OpenStreams, ToolCall, Turn, TurnEvent
from chat.models.feedback import Feedback
from chat.models.figures import Figures
from chat.models.model_checks import ModelCheck
from chat.models.payloads import ActionRun, Payload, Resolution, Review
from chat.models.traces import TokenUse, Trace, TraceText

__all__ = [
    "ActionRun",
    "Configuration",
    "ConfigurationChange",
    "Conversation",
    "Feedback",
    "Figures",
    "Message",
    "ModelCheck",
    "OpenStreams",
    "Override",
    "Payload",
    "Resolution",
    "Review",
    "TokenUse",
    "ToolCall",
    "Trace",
    "TraceText",
    "Turn",
    "TurnEvent",
]
