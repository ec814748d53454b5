"""Messages about requests and their values that several packages use. Others are declared where they are used."""

from __future__ import annotations

from shared.user_messages.message import declare

IDEMPOTENCY_KEY_REUSED = declare("idempotency_key_reused", "This Idempotency-Key was used for another request.")
JSON_NEEDED = declare("json_needed", "Send JSON with Content-Type: application/json.")
LOGGED_ERROR = declare("logged_error", "Something went wrong on our side. Log ID: {id}")
ONLY_EVENT_STREAM = declare(
    "only_event_stream", "The response is {type}. Accept it, or leave out the Accept header."
)
ONLY_METHOD = declare("only_method", "Only {method} is allowed here.")
OTHER_METHODS = declare("other_methods", "{method} is not possible here. Possible methods: {methods}.")
OTHER_CONTENT = declare("other_content", "This is not the proposal that was reviewed.")
# Pages have their own text for a 401.
SIGN_IN_FIRST = declare("sign_in_first", "Send Authorization: Bearer <token>.")

DOUBLED_PARAMETER = declare("doubled_parameter", "{name} can be given only once.")
FIELD_MISSING = declare("field_missing", "{name} is required.")
NOT_WHOLE = declare("not_whole", "{name} must be a whole number.")
OUT_OF_RANGE = declare("out_of_range", "{name} must be from {least} to {most}.")
TRUE_OR_FALSE = declare("true_or_false", "{name} must be true or false.")
UPLOAD_TOO_LARGE = declare("upload_too_large", "A file can have at most {count} MB.")
TOO_MANY_WORDS = declare("too_many_words", "A search can have at most {count} words.")
UNKNOWN_FIELD = declare("unknown_field", "Unknown field “{field}”.{hint}")
UNKNOWN_PARAMETER = declare("unknown_parameter", "Unknown parameter “{name}”.{hint}")

BOOLEAN_NEEDED = declare("not_true_or_false", "This must be true or false.")
OBJECT_NEEDED = declare("object_needed", "A JSON object is required here.")
ONE_OF = declare("one_of", "Allowed values: {names}.")
TEXT_BETWEEN = declare("text_between", "This must be a text of {least} to {most} characters.")
TEXT_NEEDED = declare("not_a_string", "This must be a text.")
UUID_NEEDED = declare("uuid_needed", "This must be a UUID.")

LONE_SURROGATE = declare("lone_surrogate", "Text must not contain half of a surrogate pair.")
NOT_FINITE = declare("not_finite", "Numbers must be finite.")
NOT_JSON = declare("not_valid_json", "This is not valid JSON: {reason}.")
NOT_UTF8 = declare("not_utf8", "The text must be UTF-8.")
NUL_CHARACTER = declare("nul_character", "Text must not contain the NUL character.")
