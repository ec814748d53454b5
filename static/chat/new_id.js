// A random UUID, also where the page has no secure origin.

/** randomUUID is only there on secure origins; a server in one's own network often is none. @returns {string} */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return [4, 2, 2, 2, 6].map((length) => hex.splice(0, length).join("")).join("-");
}
