// What every page has: the theme, times in the reader's own words, the list of keys.

import { late } from "./element.js";
import { agoText, dayText, momentText, t } from "./locale.js";

const root = document.documentElement;

function isDark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  root.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=31536000; SameSite=Lax`;
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

async function showKeys() {
  const { showShortcuts } = await late(t("The list of keys could not be loaded."), () => import("./shortcuts.js"));
  showShortcuts();
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  if (event.target.closest("[data-theme-toggle]")) switchTheme();
  if (event.target.closest("[data-shortcuts]")) showKeys();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.target instanceof Element && event.target.closest("[role=grid]")) return;
  event.preventDefault();
  showKeys();
});
writeTimes();
