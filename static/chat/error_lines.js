// What to say when a turn did not work: a title and what the person can do, by the server's error code.

import { t, tn } from "../locale.js";

const LINES = {
  provider_overloaded: [t("The model is busy"), t("It usually clears within a minute.")],
  rate_limited: [t("The model's limit is reached"), t("It should clear in about a minute.")],
  provider_auth: [t("The model refused the key"), t("Whoever runs this server can check the API key.")],
  provider_unreachable: [t("The model did not answer"), t("Check that the server can reach it, then try again.")],
  context_too_long: [t("This conversation has become too long"), t("Start a new conversation; the table stays as it is.")],
  budget_exhausted: [t("Today's limit is used up"), t("It starts anew tomorrow.")],
  timeout: [t("That took too long"), t("Try again, or ask for less at once.")],
  internal: [t("Something went wrong"), t("Nothing was changed by this. Try again.")],
  unanswered: [t("There is no answer to this"), t("It was lost before it was finished. Try again.")],
  throttled: [t("That was a lot of messages"), t("Wait a moment, then try again.")],
  too_many_requests: [t("That was a lot of messages"), t("Wait a moment, then try again.")],
  too_long: [t("The message is too long"), t("Shorten it and send it again.")],
  unreachable: [t("The server cannot be reached"), t("Your message is kept. It is sent again when the connection is back.")],
};

/**
 * @param {{code: string, message: string, retryAfter?: number|null}} error
 * @returns {{title: string, detail: string}} the server's own sentences, where it has said any
 */
export function errorLines(error) {
  const [ownTitle, hint] = Object.hasOwn(LINES, error.code) ? LINES[error.code] : [t("That did not work"), ""];
  const said = error.message.trim();
  const cut = said.search(/(?<=[.!?])\s/);
  const title = said ? (cut < 0 ? said : said.slice(0, cut)).replace(/\.$/, "") : ownTitle;
  const rest = cut < 0 ? "" : said.slice(cut).trim();
  const wait = error.retryAfter && !/\d+ \p{L}/u.test(said) ? waitWords(error.retryAfter) : "";
  return { title, detail: [rest || (said ? "" : hint), wait].filter(Boolean).join(" ") };
}

/** @param {number} seconds */
function waitWords(seconds) {
  if (seconds < 90) return t("You can try again in {seconds} s.", { seconds: Math.max(1, Math.ceil(seconds)) });
  return tn("You can try again in {count} minute.", "You can try again in {count} minutes.", Math.ceil(seconds / 60));
}
