// Writes and reads signed notes (https://c2sp.org/signed-note): a text, an empty line and signature lines. Parsing is strict, so
// that two readers never see different texts in the same bytes.
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { decodeUtf8 } from '../../platform/bytes.ts'
import { decodeBase64, encodeBase64 } from '../records/base64.ts'
import { isKeyName } from './note-key.ts'

export type SignatureLine = {
  readonly name: string
  /** 8 hexadecimal digits. */
  readonly keyId: string
  readonly signature: Uint8Array
}

export type Note = {
  /** Includes the last newline. */
  readonly text: string
  readonly signatures: readonly SignatureLine[]
}

/** The format asks readers to accept at least sixteen. Each may cost a signature check, so the limit is twice that. */
export const MOST_SIGNATURES = 32

/** Enough for the maximum number of the longest signatures. */
export const MOST_NOTE_BYTES = 128 * 1024

export const NOTE_FAULTS = {
  too_large: 'It is larger than 128 KiB.',
  not_utf8: 'It is not UTF-8.',
  control_character: 'It has a control character other than a newline.',
  not_signed: 'It has no text that ends in an empty line with signatures below.',
  line_malformed: 'A line below its text is no signature: a dash, a name and base64.',
  too_many_signatures: 'It has more than 32 signatures.',
} as const

export type NoteFault = keyof typeof NOTE_FAULTS

export type ReadNote = { readonly ok: true; readonly note: Note } | { readonly ok: false; readonly fault: NoteFault }

/** @see https://c2sp.org/signed-note */
export function parseNote(bytes: Uint8Array): ReadNote {
  if (bytes.length > MOST_NOTE_BYTES) return refuse('too_large')
  const whole = decodeUtf8(bytes)
  if (whole === null) return refuse('not_utf8')
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x09\x0b-\x1f]/.test(whole)) return refuse('control_character')
  const gap = whole.lastIndexOf('\n\n')
  if (gap < 1 || gap + 2 === whole.length || !whole.endsWith('\n')) return refuse('not_signed')
  const lines = whole.slice(gap + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return refuse('too_many_signatures')
  const signatures: SignatureLine[] = []
  for (const line of lines) {
    const read = parseSignatureLine(line)
    if (read === null) return refuse('line_malformed')
    signatures.push(read)
  }
  return { ok: true, note: { text: whole.slice(0, gap + 1), signatures } }
}

/** Writes the lines in their order. @see https://c2sp.org/signed-note */
export const formatNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(formatSignatureLine).join('')}`

/** Returns a line with its newline. @see https://c2sp.org/signed-note */
export const formatSignatureLine = ({ name, keyId, signature }: SignatureLine): string =>
  `— ${name} ${encodeBase64(concatBytes(hexToBytes(keyId), signature))}\n`

/** @see https://c2sp.org/signed-note */
function parseSignatureLine(line: string): SignatureLine | null {
  const { name = '', encoded = '' } = /^— (?<name>[^ ]+) (?<encoded>[^ ]+)$/.exec(line)?.groups ?? {}
  const bytes = decodeBase64(encoded)
  if (!isKeyName(name) || bytes === null || bytes.length < 5) return null
  return { name, keyId: bytesToHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) }
}

const refuse = (fault: NoteFault) => ({ ok: false, fault }) as const
