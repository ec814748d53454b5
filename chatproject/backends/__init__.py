"""Backends of Django and Channels: `sqlite` and `postgresql` (databases), `cache`, `channel_layer`."""
