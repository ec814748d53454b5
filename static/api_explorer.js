// Shows the OpenAPI document in Swagger UI, which sends requests with the session of the signed-in user.

import { csrfToken } from "./api.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Swagger UI has its dark colors behind a class. */
function followTheme() {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle("dark-mode", theme ? theme === "dark" : dark.matches);
}

/** @param {Record<string, any>} request @returns {Record<string, any>} the request with what proves that it comes from our own page */
function withCsrfToken(request) {
  if (request.method && request.method !== "GET") request.headers["X-CSRFToken"] = csrfToken();
  return request;
}

followTheme();
dark.addEventListener("change", followTheme);
const target = /** @type {HTMLElement} */ (document.querySelector("#explorer"));
/** @type {any} */ (window).SwaggerUIBundle({
  domNode: target,
  url: target.dataset.schema,
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  tryItOutEnabled: true,
  // Otherwise it asks another server for a badge.
  validatorUrl: null,
  requestInterceptor: withCsrfToken,
});
