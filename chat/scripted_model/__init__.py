"""Prepared replies in the wire form of the Messages API, sent through the SDK's own transport.

- `reply`: one reply of a model, and the lengths of its pieces
- `wire`: a reply as server-sent events, with its ending
- `transport`: a transport for the SDK's client that answers with replies
"""
