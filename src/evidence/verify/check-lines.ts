// Splits a file of any length into lines while it is read. Tells files of lines by their beginning. Checks each line, or the
// export that the lines form.
import { concatBytes } from '@noble/hashes/utils.js'
import { readJsonObject } from '../records/read-json-object.ts'
import { isJsonObject, readJson } from '../../platform/json.ts'
import type { CheckOptions } from './check-options.ts'
import { checkDocument } from './check-document.ts'
import { exportFormOf, openExport, type ExportCheck } from './check-export.ts'
import type { FindingsReport } from './findings-report.ts'

/** The largest document or line of an export. */
export const MOST_LINE_BYTES = 16 * 1024 * 1024

export class LongLineError extends Error {}

const LINE_FEED = 0x0a

/** Splits parts into lines. Throws LongLineError. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array()
  for await (const part of parts) {
    let from = 0
    for (let end = part.indexOf(LINE_FEED); end !== -1; end = part.indexOf(LINE_FEED, from)) {
      yield concatBytes(rest, part.subarray(from, end))
      rest = new Uint8Array()
      from = end + 1
    }
    rest = concatBytes(rest, part.subarray(from))
    if (rest.length > MOST_LINE_BYTES) throw new LongLineError()
  }
  if (rest.length > 0) yield rest
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
      if (first === null && !isWholeObject(line)) return null
      first ??= line
    }
  } catch (thrown) {
    if (thrown instanceof LongLineError) return first
    throw thrown
  }
  return first !== null && exportFormOf(first) !== null ? first : null
}

/** Judges the lines of an export as a whole, and any other line by itself. */
export class LinesCheck {
  readonly #report: FindingsReport
  readonly #options: CheckOptions
  #number = 0
  #exported: ExportCheck | null = null

  constructor(report: FindingsReport, options: CheckOptions) {
    this.#report = report
    this.#options = options
  }

  take(line: Uint8Array): void {
    this.#number += 1
    if (this.#number === 1) this.#exported = openExport(line, this.#options)
    if (this.#exported !== null) this.#report.add(this.#exported.take(line), this.#number)
    else if (!isBlank(line)) addDocumentFindings(this.#report, line, this.#options, this.#number)
  }

  end(): void {
    if (this.#exported !== null) this.#report.add(this.#exported.end())
  }
}

/** @param line its number in a file of several lines */
export function addDocumentFindings(
  report: FindingsReport,
  bytes: Uint8Array,
  options: CheckOptions,
  line?: number,
): void {
  const read = readJsonObject(bytes)
  if (read.readable) report.add(checkDocument(read.object, options), line)
  else report.addUnreadable(read.fault, line)
}

/** True even if the line is then refused, such as for a member that it names twice. */
const isWholeObject = (line: Uint8Array): boolean => isJsonObject(readJson(new TextDecoder().decode(line)))

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
