// Writes tables into documents, so that what the code knows is not written by hand too.

/** Returns the table as Markdown, with cells padded as the formatter pads them. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((_, at) => Math.max(3, ...[columns, ...rows].map((row) => (row[at] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Returns the page with this text between the marks `<!-- NAME: begin -->` and `<!-- NAME: end -->`. Throws if it has no such marks. */
export function withTable(page: string, name: string, text: string): string {
  const [before = '', rest = ''] = page.split(`<!-- ${name}: begin -->`)
  const [, after] = rest.split(`<!-- ${name}: end -->`)
  if (after === undefined) throw new Error(`the page has no marks ${name}`)
  return `${before}<!-- ${name}: begin -->\n\n${text}\n\n<!-- ${name}: end -->${after}`
}
