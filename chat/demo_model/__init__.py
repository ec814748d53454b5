"""The built-in demo model: a few rules that speak the Messages API, without a key or a network.

Reading order: transport, request, page, reply; text, dates, lexer, grammar.lark, reading; starters, answering, intents;
knowledge.
"""

from chat.demo_model.transport import demo_transport

__all__ = ["demo_transport"]
