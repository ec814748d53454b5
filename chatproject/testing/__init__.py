"""The implementation of `manage.py test`.

Read in this order: `stages` (a stage and the summary), `plan` (the stages of a run), `pytest_runs`, `node` (tests of
scripts), `mypy_cache`, `programs` (browser and servers), `postgres` (a temporary server), `isolation` (settings of
tests), `daphne_thread` (a server in the test process).
"""
