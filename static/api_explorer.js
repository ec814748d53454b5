// Shows the OpenAPI document in Swagger UI, which sends requests with the session of the signed-in user.

import { csrfToken } from "./api.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Swagger UI uses a class for its dark colors. */
function followTheme() {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle("dark-mode", theme ? theme === "dark" : dark.matches);
}

/** @param {Record<string, any>} request @returns {Record<string, any>} the request with the CSRF token */
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
  // The default requests a badge from an external server.
  validatorUrl: null,
  requestInterceptor: withCsrfToken,
});
