"""Sharing of tables.

Modules in reading order: `members` (and reading links), `invitations`, `ownership` (transfer to a member, and the
tables of a user who deletes the account).
"""
