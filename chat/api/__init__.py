"""REST of the chat: who, what, one call, one answer."""
