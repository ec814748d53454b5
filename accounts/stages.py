"""Login stages between the password and the session."""

from __future__ import annotations

from typing import Any

from allauth.mfa.stages import AuthenticateStage
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.sessions import note_session

PASSWORD = "password"


class SecondStep(AuthenticateStage):
    """The second step. A login that waits for it ends with the user's sessions and when the password changes."""

    def handle(self) -> Any:
        response, goes_on = super().handle()
        if response is not None:
            self.state[PASSWORD] = self._password()
            # Another person may know the key of a session from before the password.
            self.request.session.cycle_key()
            note_session(self.request, user=self.login.user, unfinished=True)
        return response, goes_on

    def is_resumable(self, request: HttpRequest) -> bool:
        """Return whether the second step is still required. It may have been removed, or the user deleted."""
        return bool(self._should_handle(request))

    def exit(self) -> Any:
        """Sign in, unless the user has been deactivated or has changed the password."""
        is_active = self.login.user.is_active
        if not is_active or not constant_time_compare(self.state.get(PASSWORD, ""), self._password()):
            return self.abort()
        return super().exit()

    def _password(self) -> str:
        user: Any = self.login.user
        return str(user.get_session_auth_hash())
