// Avatars of other users who have the table open.

import { el } from "../element.js";
import { t } from "../locale.js";

const MAX_AVATARS = 4;

/** @param {HTMLElement} avatars @param {{name: string, initials: string}[]} others */
export function drawAvatars(avatars, others) {
  const shown = others.slice(0, MAX_AVATARS).map((one) => el("span", { class: "avatar avatar--other", title: one.name, text: one.initials, "aria-hidden": "true" }));
  const more = others.length > MAX_AVATARS ? [el("span", { class: "avatars__more", text: `+${others.length - MAX_AVATARS}`, "aria-hidden": "true" })] : [];
  avatars.replaceChildren(...shown, ...more);
  avatars.hidden = others.length === 0;
  avatars.setAttribute("aria-label", t("Also here: {names}", { names: others.map((one) => one.name).join(", ") }));
}
