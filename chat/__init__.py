"""The chat: an assistant on the pages of an application.

For developers of other apps: `page_config`, `actions`, `payload_types`, `proposals`, `links`, `help` and `agent.tools`
declare registry entries; `lookups` finds them; `exceptions` has the errors that they raise.

Modules and packages in reading order, from the bottom to the top:

- `exceptions`, `registry`, `json_schema`: errors, registries of named entries, validation of JSON
- `proposals`, `actions`, `page_config`, `payload_types`, `links`, `help`, `instructions`: types of entries, and texts
  for the model
- `agent`: loop of model calls and tools
- `provider`, `catalogue`, `lookups`: models in the settings; all entries and limits, and what a page offers
- `prompt`, `reader`, `stream`: text of requests, parsing of responses, events for clients
- `configuration`: what administrators may override, and how overrides are applied
- `demo_model`: answers without a provider
- `models`, `signals`, `selectors`, `services`: stored conversations, turns, payloads and overrides
- `turns`: tasks that run turns
- `pages`, `payloads`, `tools`: the entries of Table Chat
- `api`, `views`, `consumers`, `admin`, `management`, `templatetags`, `checks`: interfaces
"""
