"""The request of a turn to the model.

In reading order:

- `assembly` builds the request of a turn from `sections`, the sections of its page, and `history`, its conversation.
- `preview` builds the same prompt with unsaved changes, for administrators.
"""
