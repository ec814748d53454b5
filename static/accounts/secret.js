// A secret that a page shows once (a token, a link): it is copied with one press, and a reload does not ask for another.

import { t } from "../locale.js";
import { toast } from "../element.js";

const secret = /** @type {HTMLInputElement | null} */ (document.querySelector("#secret"));
const copy = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-copy]"));
if (secret && copy) {
  // Only where the page may write to the clipboard: elsewhere the text is there to be selected.
  copy.hidden = !navigator.clipboard;
  secret.addEventListener("focus", () => secret.select());
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(secret.value);
      toast(t("Copied."));
    } catch {
      secret.select();
      toast(t("It could not be copied. It is selected: copy it by hand."), { kind: "error" });
    }
  });
  // A reload would send the form again, and make another.
  history.replaceState(null, "", location.pathname);
  (copy.hidden ? secret : copy).focus();
}
