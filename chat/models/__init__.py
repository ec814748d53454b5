"""Models of the chat.

- `conversations`: conversations, messages, turns, their events and tool calls, open streams
- `payloads`: payloads, resolutions and reviews of proposals, runs of server actions
- `feedback`: ratings of answers
- `traces`: traces of turns and token counts
- `configuration`: overrides of administrators, their history, and unsaved drafts
- `prompt_tests`: stored messages to try changes of the configuration with
- `model_checks`: features that model servers lack
- `figures`: proxy of turns for the statistics in the admin
"""
from chat.models.configuration import Configuration, ConfigurationChange, ConfigurationDraft, Override
from chat.models.conversations import Conversation, Message, OpenStreamCount, ToolCall, Turn, TurnEvent
from chat.models.feedback import Feedback
from chat.models.figures import Figures
from chat.models.model_checks import ModelCheck
from chat.models.payloads import ActionRun, Payload, Resolution, Review
from chat.models.prompt_tests import PromptTest
from chat.models.traces import TokenUse, Trace, TraceText

__all__ = [
    "ActionRun",
    "Configuration",
    "ConfigurationChange",
    "ConfigurationDraft",
    "Conversation",
    "Feedback",
    "Figures",
    "Message",
    "ModelCheck",
    "OpenStreamCount",
    "Override",
    "Payload",
    "PromptTest",
    "Resolution",
    "Review",
    "TokenUse",
    "ToolCall",
    "Trace",
    "TraceText",
    "Turn",
    "TurnEvent",
]
