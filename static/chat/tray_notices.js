// Updates the notices above the conversation, which the server renders.

import { press, replaceInside } from "../element.js";
import { dispatch } from "./registry.js";

/** Read the notices of the user again. */
export async function updateNotices() {
  dispatch("notices-changed", {});
  /** @type {HTMLElement | null} */
  const place = document.querySelector("[data-notices]");
  const answer = place && (await fetch(place.dataset.notices, { credentials: "same-origin" }).catch(() => null));
  if (!answer?.ok) return;
  const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
  await press.released();
  replaceInside(place, ...document.adoptNode(body).childNodes);
}
