"""REST API of API tokens and of the user's profile."""
