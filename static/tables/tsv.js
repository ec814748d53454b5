// Reads cells that were copied in a spreadsheet or in the grid. No DOM.

/** @param {string} text @returns {string[][]} a line end at the end is no row; quotes inside unquoted cells are literal */
export function fromTsv(text) {
  const rows = [[]];
  let cell = "";
  let at = 0;
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  while (at < text.length) {
    const character = text[at];
    if (character === '"' && cell === "" && (at === 0 || "\t\n\r".includes(text[at - 1]))) {
      const end = closingQuote(text, at + 1);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else if (character === "\t") {
      endCell();
      at += 1;
    } else if (character === "\n" || character === "\r") {
      endCell();
      at += text.startsWith("\r\n", at) ? 2 : 1;
      if (at < text.length) rows.push([]);
      else return rows;
    } else {
      cell += character;
      at += 1;
    }
  }
  endCell();
  return rows;
}

/** @param {string} text @param {number} from @returns {number} offset of the closing quote; the end of the text if missing */
function closingQuote(text, from) {
  let at = from;
  while (at < text.length) {
    if (text[at] === '"' && text[at + 1] === '"') at += 2;
    else if (text[at] === '"') return at;
    else at += 1;
  }
  return text.length;
}
