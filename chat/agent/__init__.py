"""The agent: a loop of model calls and tools that yields events. It uses neither HTTP nor the database.

In reading order:

- `loop` runs one turn, `call` makes one model call of it.
- `continuation` continues answers that were cut off, `repair` checks the payload in the text and has the model correct
  it, `finalize` ends the turn.
- `tools` declares tools, `tool_round` runs those of one iteration, `tool_runner` runs one.
- `transcript` records the turn, `message_history` makes API messages valid, `events` are the events of the agent.
- `reader_interface` is what the agent needs of the reader of the model's text (`chat.reader`).
- `model` is the interface of a model and its failures; `client` implements it with the Anthropic SDK.
- `clock` is the interface of the clock.
"""
