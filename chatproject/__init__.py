"""The Django project: settings, server, middleware, commands, and everything that belongs to no single app.

Read in this order: `settings` (with `config`), `urls`, `views`, `asgi` (with `server`), `middleware` (with `limits`),
`errors`, `json_body`, `uploads`, `openapi`, `observability`, `backends`, `models`, `workers`, `retention`, `tasks`,
`assets`, `admin`, `startup`, `testing`, `translation`.
"""
