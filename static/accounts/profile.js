// Enhancements of the profile page. Without JavaScript, its forms work as they are.

import "./secret.js";

/** @param {string} theme  previewed immediately; stored when the form is saved */
function previewTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const profileForm = document.querySelector("[data-profile-form]");
profileForm.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.name === "theme") previewTheme(field.value);
});

const useBrowserZone = /** @type {HTMLButtonElement} */ (document.querySelector("[data-browser-zone]"));
const zone = /** @type {HTMLInputElement} */ (document.querySelector("#time-zone"));
const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const updateButton = () => (useBrowserZone.hidden = !browserZone || zone.value === browserZone);
useBrowserZone.addEventListener("click", () => {
  zone.value = browserZone;
  zone.focus();
  updateButton();
});
zone.addEventListener("input", updateButton);
updateButton();
