// The page about oneself: what is nicer with scripts. Without them its forms do everything too.

import "./secret.js";

/** @param {string} theme  shown at once; kept when the form is saved */
function show(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const about = document.querySelector("[data-about]");
about.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.name === "theme") show(field.value);
});

const here = /** @type {HTMLButtonElement} */ (document.querySelector("[data-here]"));
const zone = /** @type {HTMLInputElement} */ (document.querySelector("#time-zone"));
const mine = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const showHere = () => (here.hidden = !mine || zone.value === mine);
here.addEventListener("click", () => {
  zone.value = mine;
  zone.focus();
  showHere();
});
zone.addEventListener("input", showHere);
showHere();
