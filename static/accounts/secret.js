// A secret that is shown once (a token, a link): copied with a button; a reload does not create another.

import { t } from "../locale.js";
import { toast } from "../element.js";

const secret = /** @type {HTMLInputElement | null} */ (document.querySelector("#secret"));
const copy = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-copy]"));
if (secret && copy) {
  // The clipboard is only available in secure contexts; otherwise the selected text can be copied by hand.
  copy.hidden = !navigator.clipboard;
  secret.addEventListener("focus", () => secret.select());
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(secret.value);
      toast(t("Copied."));
    } catch {
      secret.select();
      toast(t("Copying failed. The text is selected: copy it with the keyboard."), { kind: "error" });
    }
  });
  // A reload would submit the form again and create another secret.
  history.replaceState(null, "", location.pathname);
  (copy.hidden ? secret : copy).focus();
}
