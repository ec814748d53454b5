"""Sharing of tables: `members` and read-only links, `invitations`, `ownership_transfer`, and `account_deletion` for the
tables of a user who deletes the account.
"""
