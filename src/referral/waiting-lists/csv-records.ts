// Splits a published file into CSV records with their line numbers. It refuses anything that is not the publisher's CSV, before
// the columns are read.
import { CsvError, parse } from 'csv-parse/sync'
import { type FileRefusal, refuse } from './dataset.ts'

/** 16 MiB: a full year of the largest file is about 11 MB. Three copies of it fit into a Worker's 128 MB. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024

/**
 * Calls `onRecord` with each record that has any text, in order, until it returns a refusal.
 * @returns null if every record was accepted, else the first refusal.
 * @see https://www.rfc-editor.org/rfc/rfc4180#section-2
 */
export function forEachRecord(
  bytes: Uint8Array,
  onRecord: (cells: string[], line: number) => FileRefusal | null,
): FileRefusal | null {
  const text = decodeCsv(bytes)
  if (typeof text !== 'string') return text
  let refusal: FileRefusal | null = null
  try {
    parse(text, {
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: string[], { lines }) => {
        // The files end in an empty line, which is a record of one blank cell.
        const isBlank = cells.length === 1 && cells[0]?.trim() === ''
        if (refusal === null && !isBlank) refusal = onRecord(cells, lines)
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return refusal ?? malformed(error)
  }
  return refusal
}

function malformed(error: CsvError): FileRefusal {
  const line: unknown = 'lines' in error ? error['lines'] : null
  return refuse(
    typeof line === 'number' ? line : null,
    'The quotation marks do not pair up here, so the columns cannot be told apart. Download the file again.',
  )
}

function decodeCsv(bytes: Uint8Array): string | FileRefusal {
  if (bytes.length === 0) return refuse(1, 'The file is empty. Download it again.')
  if (bytes.length > MAX_FILE_BYTES) {
    return refuse(null, `The file is larger than ${MAX_FILE_BYTES} bytes, which no file of the publisher is.`)
  }
  const foreign = foreignFormat(bytes)
  if (foreign !== null) return refuse(1, `This is ${foreign}, not a CSV file. Download the CSV file itself.`)
  const text = decodeUtf8(bytes)
  if (text === null) {
    return refuse(
      firstInvalidLine(bytes),
      'The file is not UTF-8 text, so names would be garbled. Publish it as downloaded, not as saved by a spreadsheet.',
    )
  }
  if (text.trim() === '') return refuse(1, 'The file is empty. Download it again.')
  if (!/[\r\n]$/.test(text)) {
    return refuse(
      text.split(/\r\n|\r|\n/).length,
      'The last line has no line end, so the file seems to be cut off and its last figure cannot be trusted. ' +
        'Download it again; if it is complete, end its last line.',
    )
  }
  return text
}

function foreignFormat(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 512))
  if (head.startsWith('PK\u0003\u0004')) return 'a spreadsheet or another zipped file'
  if (head.startsWith('\u00d0\u00cf\u0011\u00e0')) return 'an old spreadsheet file'
  if (head.startsWith('%PDF')) return 'a PDF document'
  if (head.startsWith('\u00ff\u00fe') || head.startsWith('\u00fe\u00ff')) return 'UTF-16 text'
  if (/^(?:\u00ef\u00bb\u00bf)?\s*</.test(head)) return 'a web page or XML'
  if (/^(?:\u00ef\u00bb\u00bf)?\s*[{[]/.test(head)) return 'JSON'
  return bytes.includes(0) ? 'a binary file' : null
}

/** Returns null for any byte that is not UTF-8. Drops a byte order mark. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

/** Returns the first line that is not UTF-8. Lines can be decoded singly, as no UTF-8 sequence contains a line feed. */
function firstInvalidLine(bytes: Uint8Array): number {
  let line = 1
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start)
    const next = end === -1 ? bytes.length : end + 1
    if (decodeUtf8(bytes.subarray(start, next)) === null) return line
    start = next
  }
  return line
}
