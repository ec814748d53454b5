"""Sign-up and sign-in: django-allauth, adapted to this project.

Read in this order: `usernames` (rules for names), `adapter` and `forms` (sign-up, passwords, addresses), `second_step`
and `second_step_forms` (authenticator apps, recovery codes, passkeys), `single_sign_on` (OpenID Connect), `login_links`
(one-time links that commands print).
"""
