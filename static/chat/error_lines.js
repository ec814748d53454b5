// What to say when a turn did not work: a title and what the person can do, by the server's error code.

const LINES = {
  provider_overloaded: ["The model is busy", "It usually clears within a minute."],
  rate_limited: ["The model's limit is reached", "It should clear in about a minute."],
  provider_auth: ["The model refused the key", "Whoever runs this server can check the API key."],
  provider_unreachable: ["The model did not answer", "Check that the server can reach it, then try again."],
  context_too_long: ["This conversation has become too long", "Start a new conversation; the table stays as it is."],
  budget_exhausted: ["Today's limit is used up", "It starts anew tomorrow."],
  timeout: ["That took too long", "Try again, or ask for less at once."],
  internal: ["Something went wrong", "Nothing was changed by this. Try again."],
  unanswered: ["There is no answer to this", "It was lost before it was finished. Try again."],
  throttled: ["That was a lot of messages", "Wait a moment, then try again."],
  too_many_requests: ["That was a lot of messages", "Wait a moment, then try again."],
  too_long: ["The message is too long", "Shorten it and send it again."],
  unreachable: ["The server cannot be reached", "Your message is kept. It is sent again when the connection is back."],
};

/**
 * @param {{code: string, message: string, retryAfter?: number|null}} error
 * @returns {{title: string, detail: string}} the server's own sentences, where it has said any
 */
export function errorLines(error) {
  const [ownTitle, hint] = Object.hasOwn(LINES, error.code) ? LINES[error.code] : ["That did not work", ""];
  const said = error.message.trim();
  const cut = said.search(/(?<=[.!?])\s/);
  const title = said ? (cut < 0 ? said : said.slice(0, cut)).replace(/\.$/, "") : ownTitle;
  const rest = cut < 0 ? "" : said.slice(cut).trim();
  const wait = error.retryAfter && !/\d+ (s|minutes?|hours?)\b/.test(said) ? `You can try again in ${waitWords(error.retryAfter)}.` : "";
  return { title, detail: [rest || (said ? "" : hint), wait].filter(Boolean).join(" ") };
}

/** @param {number} seconds */
function waitWords(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
