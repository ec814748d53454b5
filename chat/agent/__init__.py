"""The agent: a loop of model calls and tools that speaks in events and knows neither HTTP nor the database."""
