"""A project with the assistant and without the app `tables`: users mark their invoices as paid.

`settings` and `urls` are the project, and `invoices` is its application. `scenario` runs the project in a process of
its own, and `running` serves it to a browser.
"""
