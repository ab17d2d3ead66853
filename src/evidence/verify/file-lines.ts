// Splits a file of any length into lines while it is read. Tells files of lines by their beginning.
import { joinBytes } from '../../platform/bytes.ts'
import { isJsonObject, readJson } from '../../platform/json.ts'
import { exportNameOf } from './document-kind.ts'

/** The largest document or line of an export. */
export const MOST_LINE_BYTES = 16 * 1024 * 1024

export class LongLineError extends Error {}

const LINE_FEED = 0x0a

/** Splits parts into lines. Throws LongLineError. @see https://jsonlines.org/ */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The pieces of the unfinished line. They are joined once, because a line may come in thousands of parts.
  let pieces: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    let from = 0
    for (let end = part.indexOf(LINE_FEED); end !== -1; end = part.indexOf(LINE_FEED, from)) {
      pieces.push(part.subarray(from, end))
      yield joinBytes(pieces, size + end - from)
      pieces = []
      size = 0
      from = end + 1
    }
    pieces.push(part.subarray(from))
    size += part.length - from
    if (size > MOST_LINE_BYTES) throw new LongLineError()
  }
  if (size > 0) yield joinBytes(pieces, size)
}

/**
 * Returns the first line of a file that has one document a line; null for any other file. The file's name does not count. The
 * first line is a whole JSON object there, and something follows it or it begins an export. Reads only up to the second line.
 */
export async function findFirstOfLines(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  let first: Uint8Array | null = null
  try {
    for await (const line of linesOf(parts)) {
      if (first !== null && !isBlank(line)) return first
      // A whole object counts even if it is then refused, such as for a member that it names twice.
      if (first === null && !isJsonObject(readJson(new TextDecoder().decode(line)))) return null
      first ??= line
    }
  } catch (thrown) {
    if (thrown instanceof LongLineError) return first
    throw thrown
  }
  return first !== null && exportNameOf(first) !== null ? first : null
}

export const isBlank = (line: Uint8Array): boolean =>
  line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
