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
    this.say("Saving…");
  }

  /** @param {boolean} well */
  end(well) {
    this.running -= 1;
    this.failed ||= !well;
    if (this.running > 0) return;
    this.say(this.failed ? "Not saved" : this.word);
    if (!this.failed) this.timer = setTimeout(() => this.say(""), STAYS_MS);
  }

  /** @param {string} text */
  say(text) {
    clearTimeout(this.timer);
    if (!this.place) return;
    this.place.textContent = text;
    this.place.classList.toggle("is-bad", text === "Not saved");
  }
}
