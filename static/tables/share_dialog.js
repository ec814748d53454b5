// The Share dialog of a table's owner: members and their roles, a link to invite with, a link for reading.

import { api } from "../api.js";
import { el, icon, replaceInside } from "../element.js";
import { dayText, t } from "../locale.js";

const ROLES = [["viewer", t("Can read")], ["editor", t("Can edit")]];
const CALLED = { viewer: t("viewer"), editor: t("editor") };

/** Opens the dialog. @param {string} tableId */
export async function openShareDialog(tableId) {
  const dialog = new ShareDialog(`/api/tables/${tableId}/`);
  await dialog.reload();
  dialog.open();
}

class ShareDialog {
  /** @param {string} address  of the table in the API */
  constructor(address) {
    this.address = address;
    this.list = el("ul", { class: "share__list" });
    this.link = el("div", { class: "share__part" });
    this.shown = el("div", { class: "share__part", role: "status" });
    /** One after the other: what is shown is how things are after the last. @type {Promise<any>} */
    this.doing = Promise.resolve();
    /** What is being done, by its name: pressed twice, a button means it once. @type {Set<string>} */
    this.running = new Set();
    const close = el("button", { class: "btn", type: "button", text: t("Done"), on: { click: () => this.dialog.close() } });
    this.dialog = el("dialog", { class: "modal", "aria-labelledby": "share-title" },
      el("div", { class: "modal__in" },
        el("h2", { id: "share-title", text: t("Share this table") }),
        this.drawForm(), this.list, this.link, this.shown,
        el("div", { class: "acts share__line" }, close)));
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  drawForm() {
    const name = el("input", { class: "input", name: "user", maxlength: 150, required: true, autocomplete: "off", placeholder: t("User name"), "aria-label": t("User name") });
    const role = drawRoles("viewer", t("Role of the new member"));
    const add = el("button", { class: "btn btn--primary", type: "submit", text: t("Share") });
    const invite = el("button", { class: "btn", type: "button", text: t("Invitation link"), on: { click: () => this.invite(role.select.value) } });
    const form = el("form", { class: "share__line" }, name, role, add, invite);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const user = name.value;
      this.act(`share ${user}`, () => api.post(`${this.address}members/`, { user, role: role.select.value })).then((done) => {
        if (done && name.value === user) name.value = "";
      });
    });
    return form;
  }

  async reload() {
    const answer = await api.get(`${this.address}members/?limit=200`);
    const owner = el("li", { class: "share__line" }, el("span", { class: "share__who", text: answer.owner }), el("span", { text: t("Owner") }));
    replaceInside(this.list, owner, ...answer.members.map((member) => this.drawMember(member)), ...answer.invitations.map((one) => this.drawInvitation(one)));
    replaceInside(this.link, ...this.drawLink(answer.link));
  }

  /** @param {{user: string, role: string}} member */
  drawMember({ user, role }) {
    const path = `${this.address}members/${encodeURIComponent(user)}/`;
    const roles = drawRoles(role, t("Role of {user}", { user }));
    roles.select.addEventListener("change", () => {
      const wanted = roles.select.value;
      this.act(`role ${user} ${wanted}`, () => api.patch(path, { role: wanted }));
    });
    return el("li", { class: "share__line" }, el("span", { class: "share__who", text: user }), roles, this.removal(t("Remove {user}", { user }), path));
  }

  /** @param {{id: number, role: string, expires_at: string}} invitation */
  drawInvitation({ id, role, expires_at: until }) {
    const words = t("Open invitation, {role}, until {day}", { role: CALLED[role] ?? role, day: dayText(new Date(until)) });
    return el("li", { class: "share__line" }, el("span", { class: "share__who", text: words }), this.removal(t("Withdraw the invitation"), `${this.address}invitations/${id}/`));
  }

  /** @param {string} label @param {string} path */
  removal(label, path) {
    const click = () => this.act(label + path, () => api.delete(path));
    return el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click } }, icon("x", "icon--14"));
  }

  /** @param {{created_at: string} | null} link */
  drawLink(link) {
    const words = link ? t("Anybody with the link made on {day} can read this table.", { day: dayText(new Date(link.created_at)) }) : t("Nobody can read this table without signing in.");
    const make = async () => {
      const made = await this.act("link", () => api.post(`${this.address}link/`));
      if (made) this.show(t("Anybody with this link can read the table. It is shown only now:"), made.url);
    };
    const buttons = [el("button", { class: "btn", type: "button", text: link ? t("New link") : t("Make a link for reading"), on: { click: make } })];
    if (link) buttons.push(el("button", { class: "btn", type: "button", text: t("Remove the link"), on: { click: () => this.act("no link", () => api.delete(`${this.address}link/`)) } }));
    return [el("p", { text: words }), el("div", { class: "share__line" }, ...buttons)];
  }

  /** @param {string} role */
  async invite(role) {
    const made = await this.act("invite", () => api.post(`${this.address}members/`, { role }));
    if (made) this.show(t("Pass this link on. It works once, for seven days, and is shown only now:"), made.url);
  }

  /** @param {string} words @param {string} url */
  show(words, url) {
    const field = el("input", { class: "input", readonly: true, value: url, "aria-label": t("Link") });
    this.shown.replaceChildren(el("p", { text: words }), field);
    field.focus();
    field.select();
  }

  /**
   * Does something and shows how things are then; what is refused is said.
   * @param {string} name @param {() => Promise<any>} what @returns {Promise<any>} null when it was not done
   */
  act(name, what) {
    if (this.running.has(name)) return Promise.resolve(null);
    this.running.add(name);
    this.doing = this.doing.then(() => this.carryOut(what)).finally(() => this.running.delete(name));
    return this.doing;
  }

  /** @param {() => Promise<any>} what */
  async carryOut(what) {
    this.shown.replaceChildren();
    try {
      const answer = (await what()) ?? true;
      await this.reload();
      return answer;
    } catch (error) {
      this.shown.replaceChildren(el("p", { class: "notice is-warn", text: /** @type {Error} */ (error).message }));
      return null;
    }
  }
}

/** @param {string} chosen @param {string} label @returns {any} the field, its `select` inside */
function drawRoles(chosen, label) {
  const select = el("select", { class: "input", "aria-label": label }, ...ROLES.map(([value, text]) => el("option", { value, text })));
  select.value = chosen;
  return Object.assign(el("span", { class: "select" }, select, icon("chevron-down", "icon--14")), { select });
}
