// Rows of text as CSV (RFC 4180). What a spreadsheet would take for a formula has an apostrophe before it.
import { stringify, type Options } from 'csv-stringify/sync'

const OPTIONS: Options = {
  escape_formulas: true,
  record_delimiter: 'windows',
  // A line break of another kind than the rows' own would stand without quotes.
  quoted_match: /[\r\n]/,
  // It writes true as 1.
  cast: { boolean: String },
}

/**
 * Where a comma is a decimal mark, as in most of Europe, spreadsheets begin a cell at a semicolon, and mind no quotes that do
 * not begin one: so within a cell too, what begins a formula behind such a mark is kept from it.
 */
const BEGINS_WITHIN = /(?<=[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/gu

/** Every row ends in a line break. */
export const csv = (rows: string[][]): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => cell.replaceAll(BEGINS_WITHIN, "'"))),
    OPTIONS,
  )
