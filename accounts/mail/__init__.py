"""E-mail addresses of users, and the mails that are sent to them by the tasks of `accounts.tasks`.

Read in this order: `addresses` (which address is confirmed, links that confirm one), `messages` (texts of the mails),
`invitations` (mails with invitations to tables).
"""
