// What the exports that are checked line by line have around their lines: a head before them, and after them a last line that is
// over all bytes before it.
import { readJsonObject, type ReadFault } from '../records/read-json.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { Hashing } from '../../platform/sha256.ts'

/** The names of its members in their order: each line of an export has just those of its kind. */
export const membersOf = (object: JsonObject): string => Object.keys(object).join(',')

/** What the next line is. `closing`: the last, or one after it. */
export type FramedLine =
  | { part: 'head' | 'line'; object: JsonObject }
  | { part: 'unreadable'; fault: ReadFault }
  | { part: 'closing' }

export class ExportFrame {
  readonly #endObject: string
  readonly #hash: Hashing
  #hasHead = false
  /** The last line, once it was read. */
  end: JsonObject | null = null
  /** Whether lines came after the last. */
  isContinued = false

  /** @param endObject what `object` says in the last line */
  constructor(endObject: string, hash: Hashing) {
    this.#endObject = endObject
    this.#hash = hash
  }

  take(line: Uint8Array): FramedLine {
    if (this.end !== null) {
      this.isContinued = true
      return { part: 'closing' }
    }
    const read = readJsonObject(line)
    if (read.readable && read.object['object'] === this.#endObject) {
      this.end = read.object
      return { part: 'closing' }
    }
    this.#hash.update(line)
    this.#hash.update('\n')
    if (!read.readable) return { part: 'unreadable', fault: read.fault }
    const part = this.#hasHead ? 'line' : 'head'
    this.#hasHead = true
    return { part, object: read.object }
  }

  /** Of all bytes before the last line. To be asked once. */
  sha256(): string {
    return this.#hash.digestHex()
  }
}
