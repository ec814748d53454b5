"""Template tags of the chat."""
