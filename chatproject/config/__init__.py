"""Reads the environment variables of the settings: `environment` all of them, `email_url` the value of EMAIL_URL."""
