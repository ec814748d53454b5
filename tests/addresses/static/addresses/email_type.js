// E-mail addresses: a link to write to, and an editor that knows what they look like.

import { el } from "../element.js";
import { registerColumnType } from "../tables/column_types/registry.js";

registerColumnType({
  name: "email", label: "E-mail", icon: "share-2",
  draw: (value, text) => el("a", { href: `mailto:${value}`, rel: "noopener noreferrer nofollow", target: "_blank", class: "address", text }),
  field: (text) => ({ tag: "input", props: { type: "email", value: text } }),
  typed: (text) => text.trim().toLowerCase(),
});
