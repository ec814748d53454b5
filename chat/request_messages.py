"""Messages about what is wrong with the fields of a request, for every endpoint of the chat."""

from __future__ import annotations

from user_messages import declare

OBJECT_NEEDED = declare("object_needed", "A JSON object is needed here.")
OBJECT_OR_NOTHING = declare("object_or_nothing", "A JSON object is needed here, or nothing.")
UUID_NEEDED = declare("uuid_needed", "A UUID is needed here.")
EVENT_NUMBER_NEEDED = declare("event_number_needed", "The number of an event is needed here.")
BOOLEAN_NEEDED = declare("boolean_needed", "This must be true or false.")
NULL_NEEDED = declare("null_needed", "This can only be set to null.")
TIME_NEEDED = declare("time_needed", "A date and time as in 2026-01-02T03:04:05Z.")
WHOLE_NUMBER = declare("whole_number_between", "A whole number from {least} to {most}.")
TEXT_BETWEEN = declare("text_between", "A text of {least} to {most} characters.")
TEXT_UP_TO = declare("text_up_to", "A text of at most {most} characters.")
JSON_UP_TO = declare("json_up_to", "At most {most:,} characters of JSON.")
TITLE_NEEDED = declare("title_needed", "A title of 1 to {count} characters, on one line.")
LIST_UP_TO = declare("messages_up_to", "A list of at most {most} messages.")
ONE_OF = declare("one_of", "One of {names}.")
UNKNOWN_FIELD = declare("unknown_request_field", "There is no field “{field}” here.{hint}")
UNKNOWN_PAGE = declare("unknown_page", "There is no page “{page}”.{hint}")
UNKNOWN_ACTION = declare("unknown_action", "There is no such action here.{hint}")
NEAREST = declare("nearest_name", " Did you mean {name}?")
ALL_NAMES = declare("all_names", " There are: {names}.")
DOUBLED_PARAMETER = declare("doubled_parameter", "This parameter may be given only once.")
TOO_MANY_WORDS = declare("too_many_search_words", "A search may have at most {count} words.")
ONLY_METHOD = declare("only_method", "Only {method} is possible here.")
SIGN_IN_FIRST = declare("sign_in_first", "Sign in first.")
NO_SUCH_PAGE = declare("no_such_page", "There is no such page.")
NOT_ALLOWED_HERE = declare("not_allowed_here", "You may not do this here.")
ONLY_EVENT_STREAM = declare(
    "only_event_stream", "The answer is {type}; accept it, or send no Accept header."
)
JSON_NEEDED = declare("json_needed", "Send JSON, with Content-Type: application/json.")
