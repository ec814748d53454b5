// Keeps the log at its end while the person is there, and says that there is news while they read further up.

const NEAR = 48; // px from the end that still count as the end

export class StickyLog {
  #atEnd = true;
  #height = 0;

  /** @param {HTMLElement} log @param {HTMLElement} news  the "New messages" button */
  constructor(log, news) {
    this.log = log;
    this.news = news;
    log.addEventListener("scroll", () => this.#look(), { passive: true });
    news.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.#atEnd && this.#jump()).observe(log);
  }

  /** Call after something may have been added. */
  added() {
    const grown = this.log.scrollHeight > this.#height;
    this.#height = this.log.scrollHeight;
    if (this.#atEnd) this.#jump();
    else if (grown) this.news.hidden = false;
  }

  toEnd() {
    this.#atEnd = true;
    this.news.hidden = true;
    this.#jump();
  }

  #jump() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #look() {
    this.#atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR;
    if (this.#atEnd) this.news.hidden = true;
  }
}
