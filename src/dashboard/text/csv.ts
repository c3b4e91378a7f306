/** Rows as CSV (RFC 4180). */

/** Spreadsheets take a cell that begins so for a formula. The names of people and keys are typed by anybody. */
const formula = /^[=+\-@\t\r]/;

export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
