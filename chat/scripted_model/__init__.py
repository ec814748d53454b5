"""Prepared replies in the wire form of the Messages API, sent through the SDK's own transport.

- `reply`: one reply of a model, and the lengths of its pieces
- `wire`: a reply as server-sent events, with its ending
- `transport`: a transport for the SDK's client that answers with replies
- `request`: what is read of a request
- `faults`, `placeholders`, `reply_form`: replies as developers declare them, with values of the request
- `script_file`, `script`: scripts in files, and which of their replies answers a request
"""
