"""The client of models with a Messages API. Only this package imports the Anthropic SDK.

In reading order:

- `anthropic_model` implements `chat.agent.model.Model`: calls with retries, waits and time limits.
- `message_batches` implements `chat.agent.batches.Batches`: many calls that are answered together.
- `accumulator` joins the events of one streamed answer.
- `failures` maps errors of the SDK and of servers to failures.
- `server_features` are features that servers may lack.
"""
