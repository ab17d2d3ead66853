// What an export is made of, whatever its format: rows of named cells.
import type { Json } from '../../evidence/records/canonical-json.ts'

/** Text that is JSON already, and goes on as it is. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Cell = Json | RawJson

/** A thing of its section. */
export type Row = { readonly id: string | number; readonly [member: string]: Cell }

/** Some rows at a time. */
export type Pages = AsyncIterable<readonly Row[]>
