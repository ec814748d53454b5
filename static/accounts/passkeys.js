// Forms that create or use a passkey. Without scripts or passkeys they stay hidden, and other ways in remain.

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<any>} the options of the server, as WebAuthn's JSON
 */
async function optionsOf(form) {
  if (form.dataset.options) {
    const response = await fetch(form.dataset.options, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`The options were refused: ${response.status}`);
    return (await response.json()).request_options.publicKey;
  }
  const data = JSON.parse(form.querySelector("script[type='application/json']").textContent);
  return (data.creation_options ?? data.request_options).publicKey;
}

/** @param {any} options  a passkey is found without a name and verifies its user, so it replaces the password */
function asPasskey(options) {
  const selection = { residentKey: "required", requireResidentKey: true, userVerification: "required" };
  return { ...options, authenticatorSelection: { ...options.authenticatorSelection, ...selection } };
}

/** @param {HTMLFormElement} form */
async function ask(form) {
  const options = await optionsOf(form);
  const given =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asPasskey(options)),
        })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return JSON.stringify(/** @type {PublicKeyCredential} */ (given).toJSON());
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  const fault = /** @type {HTMLElement} */ (form.querySelector("[data-fault]"));
  const button = form.querySelector("button");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.hidden = button.disabled = true;
    try {
      /** @type {HTMLInputElement} */ (form.elements.namedItem("credential")).value = await ask(form);
      form.submit();
    } catch {
      // Refused or cancelled on the device, or the options could not be read.
      fault.hidden = button.disabled = false;
    }
  });
}

const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
if (window.isSecureContext && !isAddress && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const note of document.querySelectorAll("[data-no-passkeys]")) note.remove();
  for (const form of document.querySelectorAll("form[data-passkey]")) prepare(/** @type {HTMLFormElement} */ (form));
}
