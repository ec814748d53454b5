// The Share dialog: members and roles, invitations, the read-only link, transfer of ownership.

import { api } from "../api.js";
import { drawRevealed, el, icon, replaceInside, revealedText, toast } from "../element.js";
import { dayText, t } from "../locale.js";

const ROLES = [["viewer", t("Can view")], ["editor", t("Can edit")]];
// Rough check for an e-mail address; the server validates it.
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const DAY = 24 * 60 * 60 * 1000;
const LINK_PERIODS = [["", t("No expiration")], ["1", t("For 1 day")], ["7", t("For 7 days")], ["30", t("For 30 days")], ["90", t("For 90 days")]];
const INVITATION_PERIODS = [["1", t("For 1 day")], ["7", t("For 7 days")], ["14", t("For 14 days")], ["30", t("For 30 days")], ["90", t("For 90 days")]];
const ROLE_NAMES = new Map(/** @type {[string, string][]} */ (ROLES));

let openCount = 0;

/** Open the dialog. @param {string} tableId @param {{onTransferred: () => void}} how  called after a transfer */
export async function openShareDialog(tableId, { onTransferred }) {
  const number = ++openCount;
  const dialog = new ShareDialog(`/api/tables/${tableId}/`, onTransferred);
  await dialog.reload();
  // Pressed again meanwhile.
  if (number === openCount) dialog.open();
}

class ShareDialog {
  /** @param {string} address  API URL of the table @param {() => void} onTransferred */
  constructor(address, onTransferred) {
    this.address = address;
    this.onTransferred = onTransferred;
    this.list = el("ul", { class: "share__list" });
    /** Kinds of invitations; "email" requires a mail server. @type {string[]} */
    this.kinds = [];
    this.link = el("div", { class: "share__part" });
    this.transferPart = el("div", { class: "share__part" });
    /** Validity of a new link in days, and the new owner that must be confirmed. */
    this.days = "";
    this.heir = "";
    this.shown = el("div", { class: "share__part", role: "status" });
    /** Actions run in sequence, so that the last state is shown. @type {Promise<any>} */
    this.queue = Promise.resolve();
    /** Names of running actions; a second press is ignored. @type {Set<string>} */
    this.running = new Set();
    this.title = el("h2", { id: "share-title", text: t("Share this table") });
    this.end = el("div", { class: "actions share__line" },
      el("button", { class: "btn", type: "button", text: t("Done"), on: { click: () => this.dialog.close() } }));
    this.dialog = el("dialog", { class: "modal", "aria-labelledby": "share-title" },
      el("div", { class: "modal__inner" },
        this.title, this.drawForm(), this.list, this.link, this.transferPart, this.shown, this.end));
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  drawForm() {
    const field = el("input", { class: "input", name: "name", maxlength: 254, required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const role = drawRoles("viewer", t("Role of the invited user"));
    const days = drawChoice(INVITATION_PERIODS, "7", t("Expiration of the invitation"));
    const invite = el("button", { class: "btn btn--primary", type: "submit", text: t("Invite") });
    const invitation = () => ({ role: role.select.value, expires_in_days: Number(days.select.value) });
    const link = el("button", { class: "btn", type: "button", text: t("Invitation link"), on: { click: () => this.inviteByLink(invitation()) } });
    const form = el("form", { class: "share__part" },
      field, el("div", { class: "share__line" }, role, days, invite, link),
      el("p", { text: t("Invited people see the table after they accept. Check the spelling: you are not notified of unknown names.") }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim();
      const kind = this.kinds.includes("email") && ADDRESS.test(name) ? "email" : "user";
      this.enqueue(`invite ${name}`, () => api.post(`${this.address}members/`, { kind, name, ...invitation() })).then((done) => {
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
    const label = this.kinds.includes("email") ? t("Username or e-mail address") : t("Username");
    this.field.placeholder = label;
    this.field.setAttribute("aria-label", label);
    this.members = answer.members.map(({ user }) => user);
    replaceInside(this.link, ...this.drawLink(answer.link));
    replaceInside(this.transferPart, ...this.drawTransfer());
  }

  /** @param {{user: string, role: string}} member */
  drawMember({ user, role }) {
    const path = `${this.address}members/${encodeURIComponent(user)}/`;
    const roles = drawRoles(role, t("Role of {user}", { user }));
    roles.select.addEventListener("change", () => {
      const wanted = roles.select.value;
      this.enqueue(`role ${user} ${wanted}`, () => api.patch(path, { role: wanted }));
    });
    return el("li", { class: "share__line" }, el("span", { class: "share__who" }, drawRevealed(user)), roles, this.removal(t("Remove {user}", { user }), path));
  }

  /** @param {{id: number, kind: string, name: string, role: string, state: string, expires_at: string}} invitation */
  drawInvitation({ id, kind, name, role, state, expires_at: until }) {
    const path = `${this.address}invitations/${id}/`;
    const expired = state === "expired";
    const label = el("span", { class: "share__who", id: `invited-${id}` }, ...(kind === "link" ? [t("Invitation link")] : [drawRevealed(name)]));
    const params = { role: ROLE_NAMES.get(role) ?? role, day: dayText(new Date(until)) };
    const details = el("small", { text: expired ? t("{role}, expired on {day}", params) : t("{role}. Invitation expires on {day}.", params) });
    const button = (text, click) => el("button", { class: "btn btn--sm", type: "button", text, "aria-describedby": label.id, on: { click } });
    const buttons = [button(t("Withdraw"), () => this.enqueue(`withdraw ${id}`, () => api.delete(path)))];
    if (expired) buttons.unshift(button(t("Invite again"), () => this.renew(path)));
    label.append(el("br"), details);
    return el("li", { class: "share__line" }, label, el("span", { class: "tag", text: expired ? t("Expired") : t("Invited") }), ...buttons);
  }

  /** @param {string} label @param {string} path */
  removal(label, path) {
    const click = () => this.enqueue(label + path, () => api.delete(path));
    return el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click } }, icon("x", "icon--14"));
  }

  /** @param {{created_at: string, expires_at: string | null} | null} link */
  drawLink(link) {
    const period = drawChoice(LINK_PERIODS, this.days, t("Expiration of a new link"));
    period.select.addEventListener("change", () => (this.days = period.select.value));
    const make = async () => {
      const expiry = this.days ? { expires_at: new Date(Date.now() + Number(this.days) * DAY).toISOString() } : {};
      const created = await this.enqueue("link", () => api.post(`${this.address}link/`, expiry));
      if (created) this.show(t("Anyone with this link can view the table. The link is only shown now:"), created.url);
    };
    const buttons = [el("button", { class: "btn", type: "button", text: link ? t("New link") : t("Create read-only link"), on: { click: make } })];
    if (link) buttons.push(el("button", { class: "btn", type: "button", text: t("Remove link"), on: { click: () => this.enqueue("unlink", () => api.delete(`${this.address}link/`)) } }));
    return [el("p", { text: linkWords(link) }), el("div", { class: "share__line" }, period, ...buttons)];
  }

  /** Transfer of ownership: choose a member, then confirm. @returns {HTMLElement[]} */
  drawTransfer() {
    if (!this.members.includes(this.heir)) this.heir = "";
    if (this.heir) return [this.drawConfirmation(this.heir)];
    if (!this.members.length) return [];
    const newOwner = drawChoice(this.members.map((name) => [name, revealedText(name)]), this.members[0], t("New owner"));
    const ask = el("button", { class: "btn", type: "button", text: t("Transfer ownership"), on: { click: () => this.confirmTransfer(newOwner.select.value) } });
    return [el("p", { text: t("A member becomes the owner. You can still edit the table.") }), el("div", { class: "share__line share__give" }, newOwner, ask)];
  }

  /** @param {string} name */
  drawConfirmation(name) {
    const heir = revealedText(name);
    // Ignore the second press of a double click, which was meant for the previous button.
    const click = (event) => event.detail < 2 && this.transfer(name);
    const transfer = el("button", { class: "btn btn--danger", type: "button", text: t("Transfer to {heir}", { heir }), on: { click } });
    const cancel = el("button", { class: "btn", type: "button", "data-keep": "", text: t("Cancel"), on: { click: () => this.confirmTransfer("") } });
    const message = t("{heir} will manage sharing and can delete the table. Only {heir} can transfer it back.", { heir });
    return el("div", { class: "notice is-warn" }, icon("circle-alert"),
      el("div", { role: "alert" }, el("b", { text: t("Transfer this table to {heir}?", { heir }) }), el("p", { text: message })),
      el("div", { class: "actions" }, transfer, cancel));
  }

  /** @param {string} heir  "" for none */
  confirmTransfer(heir) {
    this.heir = heir;
    this.transferPart.replaceChildren(...this.drawTransfer());
    /** @type {HTMLElement | null} */ (this.transferPart.querySelector(heir ? "[data-keep]" : "button"))?.focus();
  }

  /** @param {string} heir */
  async transfer(heir) {
    const isDone = await this.enqueue("give", () => api.post(`${this.address}transfer/`, { to: heir }), { last: true });
    if (!isDone) return;
    this.onTransferred();
    const message = t("This table now belongs to {heir}. You can still edit it.", { heir });
    if (!this.dialog.open) {
      toast(message);
      return;
    }
    this.dialog.querySelector(".modal__inner").replaceChildren(this.title, el("p", { role: "status", text: message }), this.end);
    this.end.querySelector("button").focus();
  }

  /** @param {{role: string, expires_in_days: number}} invitation */
  async inviteByLink(invitation) {
    this.showLink(await this.enqueue("invite-by-link", () => api.post(`${this.address}members/`, { kind: "link", ...invitation })));
  }

  /** @param {string} path  API URL of the invitation */
  async renew(path) {
    this.showLink(await this.enqueue(`renew ${path}`, () => api.post(path)));
  }

  /** @param {{url?: string} | null} sent  an invitation; only links have a URL */
  showLink(sent) {
    if (sent?.url) this.show(t("Share this link. The first person to accept becomes a member. The link is only shown now:"), sent.url);
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
        done.textContent = t("Copying failed. The text is selected: copy it with the keyboard.");
      }
    };
    const done = el("span");
    // The clipboard is only available in secure contexts.
    const button = el("button", { class: "btn", type: "button", hidden: !navigator.clipboard, text: t("Copy link"), on: { click: copy } });
    this.shown.replaceChildren(el("p", { text: words }), field, el("div", { class: "share__line" }, button, done));
    field.focus();
    field.select();
  }

  /**
   * Run an action and reload; show the error if it is refused.
   * @param {string} name @param {() => Promise<any>} action @param {{last?: boolean}} how  `last`: the members cannot be read afterwards
   * @returns {Promise<any>} null if refused
   */
  enqueue(name, action, how = {}) {
    if (this.running.has(name)) return Promise.resolve(null);
    this.running.add(name);
    this.queue = this.queue.then(() => this.runAction(action, how)).finally(() => this.running.delete(name));
    return this.queue;
  }

  /** @param {() => Promise<any>} action @param {{last?: boolean}} how */
  async runAction(action, { last = false }) {
    this.shown.replaceChildren();
    try {
      const answer = (await action()) ?? true;
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
  if (!link) return t("No read-only link.");
  const day = dayText(new Date(link.created_at));
  if (!link.expires_at) return t("Anyone with the link from {day} can view this table.", { day });
  return t("Anyone with the link from {day} can view this table until {end}.", { day, end: dayText(new Date(link.expires_at)) });
}

/** @param {string} chosen @param {string} label @returns {any} the field, its `select` inside */
function drawRoles(chosen, label) {
  return drawChoice(ROLES, chosen, label);
}

/** @param {string[][]} choices  values and labels @param {string} chosen @param {string} label @returns {any} as `drawRoles` */
function drawChoice(choices, chosen, label) {
  const select = el("select", { class: "input", "aria-label": label }, ...choices.map(([value, text]) => el("option", { value, text })));
  select.value = chosen;
  return Object.assign(el("span", { class: "select" }, select, icon("chevron-down", "icon--14")), { select });
}
