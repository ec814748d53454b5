"""Research papers: an application of another kind, with the assistant beside its page. Installed only for tests."""
