"""A project with the assistant and without the app `tables`: users mark their invoices as paid.

`settings` and `urls` are the project, `invoices` is its application, and `scenario` runs the project in a process of
its own.
"""
