"""Messages about requests and their values that several packages use. Others are declared where they are used."""

from __future__ import annotations

from shared.user_messages.message import declare

LOGGED_ERROR = declare("logged_error", "Something went wrong on our side. It is logged as {id}.")
ONLY_METHOD = declare("only_method", "Only {method} is possible here.")
SIGN_IN_FIRST = declare("sign_in_first", "Sign in first.")

DOUBLED_PARAMETER = declare("doubled_parameter", "This parameter may be given only once.")
TOO_MANY_WORDS = declare("too_many_words", "A search may have at most {count} words.")
UNKNOWN_FIELD = declare("unknown_field", "There is no field “{field}” here.{hint}")

BOOLEAN_NEEDED = declare("not_true_or_false", "This must be true or false.")
OBJECT_NEEDED = declare("object_needed", "A JSON object is needed here.")
ONE_OF = declare("one_of", "One of {names}.")
TEXT_BETWEEN = declare("text_between", "A text of {least} to {most} characters.")
TEXT_NEEDED = declare("not_a_string", "This must be a text.")
UUID_NEEDED = declare("uuid_needed", "A UUID is needed here.")
WHOLE_NUMBER = declare("whole_number_between", "A whole number from {least} to {most}.")

LONE_SURROGATE = declare("lone_surrogate", "Text must not hold half of a surrogate pair.")
NOT_FINITE = declare("not_finite", "Numbers must be finite.")
NOT_JSON = declare("not_valid_json", "This is not valid JSON: {reason}.")
NOT_UTF8 = declare("not_utf8", "The text must be UTF-8.")
NUL_CHARACTER = declare("nul_character", "Text must not hold the NUL character.")
