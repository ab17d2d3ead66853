// The rows of named cells that make up an export in any format.
import type { Json } from '../../evidence/records/canonical-json.ts'

/** Text that is JSON already, and is written unchanged. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Cell = Json | RawJson

/** One record of a section. */
export type Row = { readonly id: string | number; readonly [member: string]: Cell }

/** Some rows at a time. */
export type Pages = AsyncIterable<readonly Row[]>
