"""The pages of accounts: signing in, and what a person may say and do about themselves."""
from __future__ import annotations

from accounts.views.forgotten import forgotten, reset
from accounts.views.leaving import delete_account
from accounts.views.mail_address import confirm_address
from accounts.views.own_data import own_data
from accounts.views.profile import profile
from accounts.views.signing_in import SignIn, sign_in_link, sign_up

__all__ = [
    "SignIn", "confirm_address", "delete_account", "forgotten", "own_data", "profile", "reset", "sign_in_link",
    "sign_up",
]  # fmt: skip
