"""What `manage.py test` needs of the machine: a browser, a Node, a PostgreSQL; and the stages it runs."""
