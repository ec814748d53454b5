"""REST of accounts: tokens of programs, and who one is."""
