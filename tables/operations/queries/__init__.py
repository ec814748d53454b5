"""Read which rows and columns are requested: `sorts`, `filters`, `filter_costs`, `measures`, `view_settings`."""
