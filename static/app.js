// Scripts of every page: the theme, relative times, the list of keyboard shortcuts.

import { lazy, load, toast } from "./element.js";
import { agoText, dayText, momentText, t } from "./locale.js";

const root = document.documentElement;

function isDark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Switch the theme of this page and browser, and save it to the profile where the user is signed in. */
async function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  root.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=31536000; SameSite=Lax`;
  const choice = document.querySelector(`input[name=theme][value=${theme}]`);
  if (choice instanceof HTMLInputElement) choice.checked = true;
  try {
    await (await load(() => import("./api.js"))).api.patch("/api/me/", { theme });
  } catch {
    toast(t("The theme could not be saved to your profile."), { kind: "error" });
  }
}

function writeTimes() {
  const now = new Date();
  for (const time of document.querySelectorAll("time[data-ago]")) {
    time.title = momentText(new Date(time.dateTime));
    time.textContent = agoText(new Date(time.dateTime), now);
  }
  for (const time of document.querySelectorAll("time[data-moment]")) time.textContent = momentText(new Date(time.dateTime));
  for (const time of document.querySelectorAll("time[data-day]")) time.textContent = dayText(new Date(time.dateTime));
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && Boolean(target.closest("input, textarea, select, [contenteditable]"));
}

/**
 * Ctrl+/ or Cmd+/ anywhere; "?" only outside text fields and the grid, where it would start an edit.
 * @param {KeyboardEvent} event
 */
function opensShortcuts({ key, ctrlKey, metaKey, altKey, target }) {
  if (altKey) return false;
  if (ctrlKey || metaKey) return key === "/";
  const inGrid = target instanceof Element && target.closest("[role=grid]");
  return key === "?" && !inGrid && !isTyping(target);
}

async function showKeys() {
  const { showShortcuts } = await lazy(t("The shortcuts could not be loaded."), () => load(() => import("./shortcuts.js")));
  showShortcuts();
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  if (event.target.closest("[data-theme-toggle]")) switchTheme();
  if (event.target.closest("[data-shortcuts]")) showKeys();
});
document.addEventListener("keydown", (event) => {
  if (!opensShortcuts(event)) return;
  event.preventDefault();
  showKeys();
});
writeTimes();
