"""Users: sign-in, sessions, API tokens, profiles, and deletion and export of their data.

Read in this order: `models`, `exceptions`, `profiles`, `tokens` (API tokens), `clients` (network address and browser of
a request), `rate_limits`, `idempotency` (stored responses), `sessions`, `mail`, `tasks` (mails that a worker sends),
`sign_in` (django-allauth with our adapters and forms), `deletion` (of accounts and expired data), `data_export`,
`receivers` (of signals), `admin`, `api`, `views`.
"""
