"""Turns: an answer to one message, as a task that outlives the request and whose events are streamed to clients.

In reading order:

- `request` parses the body of a request, `page` loads its page for the user, `start` stores the turn and runs it.
- `prompt` builds what the turn sends to the model, `answering` runs the agent and stores the end of the turn.
- `runtime` has the running turns of an event loop and ends them at shutdown; `event_log` stores their events,
  `event_stream` sends them to clients, `stream_slots` limits open streams.
- `model_clients` are the clients of the configured models; `database` runs synchronous work in threads.
- `server_actions` runs suggested actions, `sandbox` tries a draft of the configuration, `model_check` tries a model,
  `model_names` checks a name.
- `current_turn` is the id of the turn for log lines.
"""
