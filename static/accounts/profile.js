// The page about oneself: what is nicer with scripts. Without them its forms do everything too.

import { toast } from "../toast.js";

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

const secret = /** @type {HTMLInputElement | null} */ (document.querySelector("#secret"));
const copy = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-copy]"));
if (secret && copy) {
  // Only where the page may write to the clipboard: elsewhere the text is there to be selected.
  copy.hidden = !navigator.clipboard;
  secret.addEventListener("focus", () => secret.select());
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(secret.value);
      toast("Copied.");
    } catch {
      secret.select();
      toast("It could not be copied. It is selected: copy it by hand.", { kind: "error" });
    }
  });
  // A reload would send the form again, and make another token.
  history.replaceState(null, "", location.pathname);
  (copy.hidden ? secret : copy).focus();
}
