"""The application `invoices`."""
