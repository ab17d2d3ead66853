// The frame of an export that is checked line by line. A head comes before its lines. The last line covers all bytes
// before it.
import { readJsonObject, type ReadFault } from '../records/read-json.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { Hashing } from '../../platform/sha256.ts'

/** The member names in their order. Each kind of line has a fixed list. */
export const membersOf = (object: JsonObject): string => Object.keys(object).join(',')

/** The part of the next line. `closing`: the last line, or one after it. */
export type FramedLine =
  | { part: 'head' | 'line'; object: JsonObject }
  | { part: 'unreadable'; fault: ReadFault }
  | { part: 'closing' }

export class ExportFrame {
  readonly #endObject: string
  readonly #hash: Hashing
  #hasHead = false
  /** The last line, after it was read. */
  end: JsonObject | null = null
  /** True if lines came after the last line. */
  isContinued = false

  /** @param endObject the value of `object` in the last line */
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

  /** The hash of all bytes before the last line. Call it once. */
  sha256(): string {
    return this.#hash.digestHex()
  }
}
