"""Parse the requested rows and columns: `sorts`, `filters`, `filter_costs`, `measures`, `view_settings`."""
