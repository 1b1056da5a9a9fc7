const FORMULA = /^[=+\-@\t\r]/
const QUOTED = /[",\r\n]/

/** Formats a line of CSV (RFC 4180). Text that a spreadsheet would read as a formula is prefixed with an apostrophe. */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
