"""Writes of a turn, from its request to its end.

Modules in reading order: `request` is what a turn is started with, and the next step of a proposal; `position` finds
its conversation and the message it follows; `start` stores both; `running` writes events, heartbeats and tool calls;
`end` stores the answer; `stale` ends turns whose process has died.
"""
