"""REST API of the chat.

- `urls`: all URLs
- `conversations`: conversations, messages, ratings of answers
- `turns`: turns, their diagnostics and streams
- `payloads`: payloads, and previews, reviews and decisions of proposals
- `actions`, `capabilities`: server actions, payload types and pages
- `representations`: JSON of messages, turns, payloads and registry entries
- `serializers`: bodies of conversations and ratings
- `schemas`: JSON schemas of what no serializer declares
- `query`: query parameters and JSON bodies
- `event_language`: translation of stream events
- `model_notice`: the notice that no language model answers
"""
