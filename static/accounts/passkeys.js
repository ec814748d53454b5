// Forms that create or use a passkey. They stay hidden without JavaScript or passkey support.

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<any>} the options of the server, as WebAuthn's JSON
 */
async function fetchOptions(form) {
  if (form.dataset.options) {
    const response = await fetch(form.dataset.options, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`The options were refused: ${response.status}`);
    return (await response.json()).request_options.publicKey;
  }
  const data = JSON.parse(form.querySelector("script[type='application/json']").textContent);
  return (data.creation_options ?? data.request_options).publicKey;
}

/** @param {any} options  require a discoverable credential with user verification, which replaces the password */
function withDiscoverableCredential(options) {
  const selection = { residentKey: "required", requireResidentKey: true, userVerification: "required" };
  return { ...options, authenticatorSelection: { ...options.authenticatorSelection, ...selection } };
}

/** @param {HTMLFormElement} form */
async function requestCredential(form) {
  const options = await fetchOptions(form);
  const credential =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(withDiscoverableCredential(options)),
        })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return JSON.stringify(/** @type {PublicKeyCredential} */ (credential).toJSON());
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  const error = /** @type {HTMLElement} */ (form.querySelector("[data-fault]"));
  const button = form.querySelector("button");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    error.hidden = button.disabled = true;
    try {
      /** @type {HTMLInputElement} */ (form.elements.namedItem("credential")).value = await requestCredential(form);
      form.submit();
    } catch {
      // The user or device refused, or the options could not be read.
      error.hidden = button.disabled = false;
    }
  });
}

const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
if (window.isSecureContext && !isAddress && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const note of document.querySelectorAll("[data-no-passkeys]")) note.remove();
  for (const form of document.querySelectorAll("form[data-passkey]")) prepare(/** @type {HTMLFormElement} */ (form));
}
