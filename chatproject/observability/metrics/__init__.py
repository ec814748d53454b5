"""Metrics for Prometheus at `/metrics`.

Read in this order: `definitions`, `receivers` (middleware and signal receivers that update them), `database` (metrics
that all processes share), `process` (connections and memory), `views`.
"""
