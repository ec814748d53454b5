"""Production as described in docs/deploy/, running on one machine."""
