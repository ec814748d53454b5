"""Pages of accounts: sign-in, profile, sessions, account deletion."""
from __future__ import annotations

from accounts.views.account_deletion import delete_account
from accounts.views.data_export import own_data
from accounts.views.login_link import sign_in_link
from accounts.views.profile import profile
from accounts.views.sessions import sessions

__all__ = ["delete_account", "own_data", "profile", "sessions", "sign_in_link"]
