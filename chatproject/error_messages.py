"""Messages of failures that can happen at any URL."""

from __future__ import annotations

from user_messages import declare

NOTHING_HERE = declare("nothing_here", "There is no such thing here.{hint}")
WITH_SLASH = declare("url_with_slash", " URLs end with a slash: {url}")
NOT_ALLOWED = declare("not_allowed", "You may not do this.")
UNREADABLE_REQUEST = declare("unreadable_request", "This request cannot be read.")
BODY_TOO_LARGE = declare("body_too_large", "The body is larger than {count} MB.")
LOGGED_ERROR = declare("logged_request_error", "Something went wrong on our side. It is logged as {id}.")
SERVER_BUSY = declare("server_busy", "The server is busy. Try again in a moment; it is logged as {id}.")
TOO_COSTLY = declare("too_costly", "This takes too long. Ask for less at a time; it is logged as {id}.")
FOREIGN_CALL = declare(
    "foreign_call", "This call did not come from our own page. Reload the page and try again."
)
READ_ONLY_TOKEN = declare("read_only_token", "This token may only read.")
TOO_MANY_CALLS = declare("too_many_calls", "More than {count:,} calls within a minute. Try again in {seconds} s.")
TOO_MANY_RUNNING = declare(
    "too_many_running", "Too many of your requests are running. Try again in {seconds} s."
)
BUSY_WITH_LARGE_BODIES = declare(
    "busy_with_large_bodies", "The server is busy with other large requests. Try again in {seconds} s."
)
ONLY_GET = declare("only_get", "Only GET is possible here.")
METHOD_NOT_POSSIBLE = declare("method_not_possible", "This method is not possible here.")
TOO_MANY_PARAMETERS = declare("too_many_parameters", "A query has at most {count} parameters.")
NOT_UTF8 = declare("not_utf8", "The text must be UTF-8.")
