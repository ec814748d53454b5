"""The work of a turn, from its first event to its stored end.

In reading order:

- `runner` runs a turn to exactly one final event and stores its end.
- `answer` runs the agent and checks its payloads, `tool_calls` runs tools as the turn's user.
- `budget` counts the tokens of a user, `trace_recorder` records the turn for administrators.
"""
