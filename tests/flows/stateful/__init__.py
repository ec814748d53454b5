"""A stateful test of a table over HTTP against a model in plain Python."""
