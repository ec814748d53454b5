"""A table's life: what may happen to it over HTTP, and in plain Python what must come of it."""
