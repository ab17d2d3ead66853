// Where a document comes from: a file, an address or standard input. Bytes, never decoded on the way.
import { createReadStream } from 'node:fs'
import { linesOf, LongLineError, MOST_BYTES } from '../../src/evidence/verify/lines.ts'

/** Why nothing could be read, in a sentence. */
export class SourceError extends Error {}

const TIME_LIMIT_MS = 30_000

/** The whole of it. Throws SourceError. */
export async function readAll(name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of open(name)) {
    length += part.length
    if (length > MOST_BYTES)
      throw new SourceError(`${name} is larger than 16 MiB. Exports of one record a line: --lines`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Its lines, one after the other, so that an export of any length can be checked. Throws SourceError. */
export async function* readLines(name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* linesOf(open(name))
  } catch (thrown) {
    if (thrown instanceof LongLineError) throw new SourceError(`${name} has a line larger than 16 MiB.`)
    throw thrown
  }
}

async function* open(name: string): AsyncGenerator<Uint8Array> {
  try {
    if (/^https?:\/\//.test(name)) {
      const response = await fetch(name, { signal: AbortSignal.timeout(TIME_LIMIT_MS) })
      if (!response.ok || response.body === null) throw new SourceError(`${name} answered ${response.status}.`)
      yield* response.body
    } else {
      yield* (name === '-' ? process.stdin : createReadStream(name)) as AsyncIterable<Uint8Array>
    }
  } catch (thrown) {
    if (thrown instanceof SourceError) throw thrown
    throw new SourceError(`${name === '-' ? 'Standard input' : name} cannot be read.`)
  }
}
