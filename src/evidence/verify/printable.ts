// Shows values of a document in a terminal or on a page.
import type { JsonObject } from '../../platform/json.ts'

const MOST_SHOWN = 80

/** Returns a value as printable ASCII, shortened. SECURITY: a document's text could move the cursor of a terminal. */
export function toPrintable(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
  const shown = text.replaceAll(/[^\x20-\x7e]/g, '?')
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown
}

/** Returns members of a record as text to print, such as its id and its time. */
export const printed = (record: JsonObject, names: readonly string[]): string =>
  names.map((name) => toPrintable(record[name])).join('  ')
