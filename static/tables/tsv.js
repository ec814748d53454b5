// Cells as text between tabs, as every spreadsheet copies and pastes them. Pure.

/** @param {string[][]} rows @returns {string} cells with tabs, line ends or quotes stand in quotes */
export function toTsv(rows) {
  const quoted = (cell) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map(quoted).join("\t")).join("\n");
}

/** @param {string} text @returns {string[][]} a last line end is no row; a quote inside a bare cell is just a quote */
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

/** @param {string} text @param {number} from @returns {number} where the quoted cell ends; the end of the text when it never does */
function closingQuote(text, from) {
  let at = from;
  while (at < text.length) {
    if (text[at] === '"' && text[at + 1] === '"') at += 2;
    else if (text[at] === '"') return at;
    else at += 1;
  }
  return text.length;
}
