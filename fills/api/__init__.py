"""REST API of fills."""
