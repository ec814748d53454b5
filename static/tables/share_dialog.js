// The Share dialog of a table's owner: members and their roles, invitations, the link for reading, another owner.

import { api } from "../api.js";
import { drawRevealed, el, icon, replaceInside, revealedText, toast } from "../element.js";
import { dayText, t } from "../locale.js";

const ROLES = [["viewer", t("Can read")], ["editor", t("Can edit")]];
// What is taken for an e-mail address; the server checks it.
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const DAY = 24 * 60 * 60 * 1000;
const ENDS = [["", t("Until it is removed")], ["1", t("For 1 day")], ["7", t("For 7 days")], ["30", t("For 30 days")], ["90", t("For 90 days")]];
const VALID = [["1", t("For 1 day")], ["7", t("For 7 days")], ["14", t("For 14 days")], ["30", t("For 30 days")], ["90", t("For 90 days")]];
const CALLED = new Map(/** @type {[string, string][]} */ (ROLES));

let asked = 0;

/** Opens the dialog. @param {string} tableId @param {{given: () => void}} how  given: it has another owner now */
export async function openShareDialog(tableId, { given }) {
  const mine = ++asked;
  const dialog = new ShareDialog(`/api/tables/${tableId}/`, given);
  await dialog.reload();
  // Asked for again while that was read, it is shown once.
  if (mine === asked) dialog.open();
}

class ShareDialog {
  /** @param {string} address  of the table in the API @param {() => void} given */
  constructor(address, given) {
    this.address = address;
    this.given = given;
    this.list = el("ul", { class: "share__list" });
    /** The kinds of invitations that can be sent: without a mail server, none by mail. @type {string[]} */
    this.kinds = [];
    this.link = el("div", { class: "share__part" });
    this.giving = el("div", { class: "share__part" });
    /** How many days a new link is to work, and to whom the table is to be given once that is said again. */
    this.days = "";
    this.heir = "";
    this.shown = el("div", { class: "share__part", role: "status" });
    /** One after the other: what is shown is how things are after the last. @type {Promise<any>} */
    this.doing = Promise.resolve();
    /** What is being done, by its name: pressed twice, a button means it once. @type {Set<string>} */
    this.running = new Set();
    this.title = el("h2", { id: "share-title", text: t("Share this table") });
    this.end = el("div", { class: "acts share__line" },
      el("button", { class: "btn", type: "button", text: t("Done"), on: { click: () => this.dialog.close() } }));
    this.dialog = el("dialog", { class: "modal", "aria-labelledby": "share-title" },
      el("div", { class: "modal__in" },
        this.title, this.drawForm(), this.list, this.link, this.giving, this.shown, this.end));
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  drawForm() {
    const field = el("input", { class: "input", name: "name", maxlength: 254, required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const role = drawRoles("viewer", t("Role of the invited person"));
    const days = drawChoice(VALID, "14", t("How long the invitation is valid"));
    const invite = el("button", { class: "btn btn--primary", type: "submit", text: t("Invite") });
    const said = () => ({ role: role.select.value, expires_in_days: Number(days.select.value) });
    const link = el("button", { class: "btn", type: "button", text: t("Invitation link"), on: { click: () => this.inviteByLink(said()) } });
    const form = el("form", { class: "share__part" },
      field, el("div", { class: "share__line" }, role, days, invite, link),
      el("p", { text: t("Invited people see the table once they accept. Check the spelling: a wrong name looks the same here.") }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim();
      const kind = this.kinds.includes("email") && ADDRESS.test(name) ? "email" : "user";
      this.act(`invite ${name}`, () => api.post(`${this.address}members/`, { kind, name, ...said() })).then((done) => {
        if (done && field.value.trim() === name) field.value = "";
      });
    });
    this.field = field;
    return form;
  }

  async reload() {
    const answer = await api.get(`${this.address}members/?limit=200`);
    const owner = el("li", { class: "share__line" }, el("span", { class: "share__who", text: answer.owner }), el("span", { text: t("Owner") }));
    replaceInside(this.list, owner, ...answer.members.map((member) => this.drawMember(member)), ...answer.invitations.map((one) => this.drawInvitation(one)));
    this.kinds = answer.kinds;
    const label = this.kinds.includes("email") ? t("User name or e-mail address") : t("User name");
    this.field.placeholder = label;
    this.field.setAttribute("aria-label", label);
    this.members = answer.members.map(({ user }) => user);
    replaceInside(this.link, ...this.drawLink(answer.link));
    replaceInside(this.giving, ...this.drawGiving());
  }

  /** @param {{user: string, role: string}} member */
  drawMember({ user, role }) {
    const path = `${this.address}members/${encodeURIComponent(user)}/`;
    const roles = drawRoles(role, t("Role of {user}", { user }));
    roles.select.addEventListener("change", () => {
      const wanted = roles.select.value;
      this.act(`role ${user} ${wanted}`, () => api.patch(path, { role: wanted }));
    });
    return el("li", { class: "share__line" }, el("span", { class: "share__who" }, drawRevealed(user)), roles, this.removal(t("Remove {user}", { user }), path));
  }

  /** @param {{id: number, kind: string, name: string, role: string, state: string, expires_at: string}} invitation */
  drawInvitation({ id, kind, name, role, state, expires_at: until }) {
    const path = `${this.address}invitations/${id}/`;
    const expired = state === "expired";
    const who = el("span", { class: "share__who", id: `invited-${id}` }, ...(kind === "link" ? [t("Invitation link")] : [drawRevealed(name)]));
    const words = { role: CALLED.get(role) ?? role, day: dayText(new Date(until)) };
    const about = el("small", { text: expired ? t("{role}, expired on {day}", words) : t("{role}. Invitation expires on {day}.", words) });
    const button = (text, click) => el("button", { class: "btn btn--sm", type: "button", text, "aria-describedby": who.id, on: { click } });
    const buttons = [button(t("Withdraw"), () => this.act(`withdraw ${id}`, () => api.delete(path)))];
    if (expired) buttons.unshift(button(t("Invite again"), () => this.renew(path)));
    who.append(el("br"), about);
    return el("li", { class: "share__line" }, who, el("span", { class: "tag", text: expired ? t("Expired") : t("Invited") }), ...buttons);
  }

  /** @param {string} label @param {string} path */
  removal(label, path) {
    const click = () => this.act(label + path, () => api.delete(path));
    return el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click } }, icon("x", "icon--14"));
  }

  /** @param {{created_at: string, expires_at: string | null} | null} link */
  drawLink(link) {
    const ends = drawChoice(ENDS, this.days, t("How long a new link works"));
    ends.select.addEventListener("change", () => (this.days = ends.select.value));
    const make = async () => {
      const until = this.days ? { expires_at: new Date(Date.now() + Number(this.days) * DAY).toISOString() } : {};
      const made = await this.act("link", () => api.post(`${this.address}link/`, until));
      if (made) this.show(t("Anybody with this link can read the table. It is shown only now:"), made.url);
    };
    const buttons = [el("button", { class: "btn", type: "button", text: link ? t("New link") : t("Make a link for reading"), on: { click: make } })];
    if (link) buttons.push(el("button", { class: "btn", type: "button", text: t("Remove the link"), on: { click: () => this.act("unlink", () => api.delete(`${this.address}link/`)) } }));
    return [el("p", { text: linkWords(link) }), el("div", { class: "share__line" }, ends, ...buttons)];
  }

  /** Another owner: a member is chosen, and what it means is said before it is done. @returns {HTMLElement[]} */
  drawGiving() {
    if (!this.members.includes(this.heir)) this.heir = "";
    if (this.heir) return [this.drawSure(this.heir)];
    if (!this.members.length) return [];
    const heirs = drawChoice(this.members.map((name) => [name, revealedText(name)]), this.members[0], t("New owner"));
    const ask = el("button", { class: "btn", type: "button", text: t("Give it away"), on: { click: () => this.askToGive(heirs.select.value) } });
    return [el("p", { text: t("Another owner takes your place; you stay in the table and can edit it.") }), el("div", { class: "share__line share__give" }, heirs, ask)];
  }

  /** @param {string} name */
  drawSure(name) {
    const heir = revealedText(name);
    // The second press of a double one, meant for what was here before, gives nothing away.
    const click = (event) => event.detail < 2 && this.give(name);
    const give = el("button", { class: "btn btn--danger", type: "button", text: t("Give it to {heir}", { heir }), on: { click } });
    const keep = el("button", { class: "btn", type: "button", "data-keep": "", text: t("Keep it"), on: { click: () => this.askToGive("") } });
    const words = t("From then on {heir} decides who it is shared with and whether it goes to the trash. Only {heir} can give it back.", { heir });
    return el("div", { class: "notice is-warn" }, icon("circle-alert"),
      el("div", { role: "alert" }, el("b", { text: t("Give this table to {heir}?", { heir }) }), el("p", { text: words })),
      el("div", { class: "acts" }, give, keep));
  }

  /** @param {string} heir  "" for nobody */
  askToGive(heir) {
    this.heir = heir;
    this.giving.replaceChildren(...this.drawGiving());
    /** @type {HTMLElement | null} */ (this.giving.querySelector(heir ? "[data-keep]" : "button"))?.focus();
  }

  /** @param {string} heir */
  async give(heir) {
    const given = await this.act("give", () => api.post(`${this.address}transfer/`, { to: heir }), { last: true });
    if (!given) return;
    this.given();
    const words = t("This table belongs to {heir} now. You can still edit it.", { heir });
    if (!this.dialog.open) {
      toast(words);
      return;
    }
    this.dialog.querySelector(".modal__in").replaceChildren(this.title, el("p", { role: "status", text: words }), this.end);
    this.end.querySelector("button").focus();
  }

  /** @param {{role: string, expires_in_days: number}} said */
  async inviteByLink(said) {
    this.showLink(await this.act("invite-by-link", () => api.post(`${this.address}members/`, { kind: "link", ...said })));
  }

  /** @param {string} path  of the invitation in the API */
  async renew(path) {
    this.showLink(await this.act(`renew ${path}`, () => api.post(path)));
  }

  /** @param {{url?: string} | null} sent  an invitation; those by name and by mail have no address to pass on */
  showLink(sent) {
    if (sent?.url) this.show(t("Pass this link on. The first person who accepts becomes a member. It is shown only now:"), sent.url);
  }

  /** @param {string} words @param {string} url */
  show(words, url) {
    const field = el("textarea", { class: "input share__url", rows: "2", readonly: true, value: url, "aria-label": t("Link") });
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(url);
        done.textContent = t("Copied.");
      } catch {
        field.select();
        done.textContent = t("It could not be copied. It is selected: copy it by hand.");
      }
    };
    const done = el("span");
    // Only where the page may write to the clipboard.
    const button = el("button", { class: "btn", type: "button", hidden: !navigator.clipboard, text: t("Copy link"), on: { click: copy } });
    this.shown.replaceChildren(el("p", { text: words }), field, el("div", { class: "share__line" }, button, done));
    field.focus();
    field.select();
  }

  /**
   * Does something and shows how things are then; what is refused is said.
   * @param {string} name @param {() => Promise<any>} what @param {{last?: boolean}} how  `last`: nothing can be read any more
   * @returns {Promise<any>} null when it was not done
   */
  act(name, what, how = {}) {
    if (this.running.has(name)) return Promise.resolve(null);
    this.running.add(name);
    this.doing = this.doing.then(() => this.carryOut(what, how)).finally(() => this.running.delete(name));
    return this.doing;
  }

  /** @param {() => Promise<any>} what @param {{last?: boolean}} how */
  async carryOut(what, { last = false }) {
    this.shown.replaceChildren();
    try {
      const answer = (await what()) ?? true;
      if (!last) await this.reload();
      return answer;
    } catch (error) {
      this.shown.replaceChildren(el("p", { class: "notice is-warn", text: /** @type {Error} */ (error).message }));
      return null;
    }
  }
}

/** @param {{created_at: string, expires_at: string | null} | null} link @returns {string} */
function linkWords(link) {
  if (!link) return t("Nobody can read this table without signing in.");
  const day = dayText(new Date(link.created_at));
  if (!link.expires_at) return t("Anybody with the link made on {day} can read this table.", { day });
  return t("Anybody with the link made on {day} can read this table until {end}.", { day, end: dayText(new Date(link.expires_at)) });
}

/** @param {string} chosen @param {string} label @returns {any} the field, its `select` inside */
function drawRoles(chosen, label) {
  return drawChoice(ROLES, chosen, label);
}

/** @param {string[][]} choices  values and what they are called @param {string} chosen @param {string} label @returns {any} as above */
function drawChoice(choices, chosen, label) {
  const select = el("select", { class: "input", "aria-label": label }, ...choices.map(([value, text]) => el("option", { value, text })));
  select.value = chosen;
  return Object.assign(el("span", { class: "select" }, select, icon("chevron-down", "icon--14")), { select });
}
