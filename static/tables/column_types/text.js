// Text: kept exactly as typed, white space included.

import { registerColumnType } from "./registry.js";

registerColumnType({ name: "text", label: "Text", hint: "Any text.", keepsSpace: true });
