// "Saving… Saved" in the top bar.

const STAYS_MS = 2500;

export class SavingStatus {
  /** @param {HTMLElement | null} place */
  constructor(place) {
    this.place = place;
    this.running = 0;
    this.failed = false;
    this.word = "Saved";
  }

  begin() {
    this.word = "Saved";
    this.running += 1;
    this.failed = false;
    this.say("Saving…", "running");
  }

  /** @param {boolean} well */
  end(well) {
    this.running -= 1;
    this.failed ||= !well;
    if (this.running > 0) return;
    this.say(this.failed ? "Not saved" : this.word, this.failed ? "failed" : "well");
    if (!this.failed) this.timer = setTimeout(() => this.say("", "well"), STAYS_MS);
  }

  /** @param {string} text @param {"running" | "well" | "failed"} state  stays when the words are gone */
  say(text, state) {
    clearTimeout(this.timer);
    if (!this.place) return;
    this.place.textContent = text;
    this.place.dataset.saving = state;
    this.place.classList.toggle("is-bad", state === "failed");
  }
}
