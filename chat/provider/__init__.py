"""Models that answer.

Modules in reading order: `chat_models` parses the setting `CHAT_MODELS`, and is imported by the settings; `configured`
chooses among the models in the settings.
"""
