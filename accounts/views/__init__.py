"""The pages of accounts: signing in, and what a person may say and do about themselves."""
from __future__ import annotations

from accounts.views.leaving import delete_account
from accounts.views.own_data import own_data
from accounts.views.profile import profile
from accounts.views.signing_in import SignIn, sign_in_link, sign_up

__all__ = ["SignIn", "delete_account", "own_data", "profile", "sign_in_link", "sign_up"]
