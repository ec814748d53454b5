"""The pages of accounts: signing in, and what a person may say and do about themselves."""
from __future__ import annotations

from accounts.views.profile import profile
from accounts.views.signing_in import sign_in_link

__all__ = ["profile", "sign_in_link"]
