/** Rows of delimited text: commas, tabs or semicolons, whichever the first line has most of; quotes as in RFC 4180. */
export function parseCsv(text: string, maxRows: number): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let n = 0; n < text.length && rows.length < maxRows; n += 1) {
    const letter = text[n] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[n + 1] === '"') {
        cell += '"';
        n += 1;
      } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
    } else cell += letter;
  }
  if (rows.length < maxRows && (cell || row.length)) rows.push([...row, cell]);
  return rows;
}

function separatorOf(text: string): string {
  const first = text.slice(0, text.indexOf("\n") >>> 0);
  const countIn = (mark: string) => first.split(mark).length;
  return [",", "\t", ";"].reduce((best, mark) => (countIn(mark) > countIn(best) ? mark : best));
}
