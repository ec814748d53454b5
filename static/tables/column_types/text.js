// Text: kept exactly as typed, white space included.

/** @type {ColumnKind} */
export const text = { name: "text", label: "Text", hint: "Any text.", keepsSpace: true };
