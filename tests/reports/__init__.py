"""An example application for tests: research papers, with the assistant on their page."""
