"""Preparation of an installation: everything `manage.py start` does before it serves.

Read in this order: `bootstrap` (the virtual environment; standard library only), `installation` (database,
administrator, static files), `demo_tables` and `floor_plans` (their pictures), `worker_process` (the worker of
`manage.py start`), `ollama` (finds a local model server).
"""
