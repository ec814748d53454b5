"""Research streams: an example of a Django project with the assistant on its own pages."""
