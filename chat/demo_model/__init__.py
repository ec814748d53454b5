"""The built-in demo model: rules for English requests behind the Messages API, without a key or a network.

- `transport`: the transport of the SDK's client
- `request`, `reply`: what is read of a request, and the answer to it
- `answering`: the answer to a request, from the first intent that matches
- `creation`, `columns`, `revising`, `row_changes`: intents that propose changes
- `questions`, `view`: intents that read rows, or change the user's view
- `record_answers`: answers about one record at a time
- `batches`: many of these together, in files
- `declared`: what developers declare for their own pages and tools
- `parser`, `lexer`, `grammar.lark`: phrases about rows
- `english`, `column_guesses`: names, numbers and dates; columns and sample values
"""

from chat.demo_model.answering import knows_page
from chat.demo_model.transport import demo_transport

__all__ = ["demo_transport", "knows_page"]
