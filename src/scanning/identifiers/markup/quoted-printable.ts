// Reads quoted-printable (RFC 2045, section 6.7: https://www.rfc-editor.org/rfc/rfc2045), the form in which mail carries letters.
import { forEachMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { DECODED, Ranges, Reading, Segments, WINDOWS_1252 } from './reading.ts'

const MAY_BE = /=(?:[0-9a-f]{2}|[ \t]*\r?\n)/i
/** The escapes of one character, or a line end that the letter does not have. */
const ESCAPE =
  /=[ \t]*\r?\n|=(?:[0-7][0-9a-f]|c[2-9a-f]=[89ab][0-9a-f]|d[0-9a-f]=[89ab][0-9a-f]|e[0-9a-f](?:=[89ab][0-9a-f]){2}|f[0-4](?:=[89ab][0-9a-f]){3}|[89a-f][0-9a-f])/gi
/** The header of mail, and an attribute of HTML in it. */
const SAYS_SO = /Content-Transfer-Encoding: ?quoted-printable|=3D"[^"\n]{0,200}"/i
/** Equals signs that no mail program writes. */
const OTHER_EQUALS = /=(?![0-9a-f]{2}|[ \t]*\r?\n)/i
const SOFT_BREAK = /=[ \t]*\r?\n(?=.)/
/** A character outside ASCII. Nobody types this, so the text is mail. */
const CHARACTER = /=(?:C[2-9]|D[0-9A-F]|E[0-9A-F]=[89AB][0-9A-F])=[89AB][0-9A-F]/
/** The longest gap between an escape and the value whose label is before it. */
const REACH = 12

export type QuotedPrintable = {
  /** True if the text surely is quoted-printable, so that the reading takes the place of the text. */
  readonly isSure: boolean
  readonly reading: Reading
}

export function* readQuotedPrintable(text: string): Steps<QuotedPrintable | undefined> {
  if (!MAY_BE.test(text)) return undefined
  const isSure = SAYS_SO.test(text) || (!OTHER_EQUALS.test(text) && (SOFT_BREAK.test(text) || CHARACTER.test(text)))
  const segments = new Segments(text)
  const ranges = new Ranges()
  let at = 0
  yield* forEachMatchInSteps(text, ESCAPE, ({ 0: written, index }) => {
    const character = written.endsWith('\n') ? '' : decode(written, isSure)
    if (character === undefined) return
    segments.copy(at, index)
    at = index + written.length
    // The escape may be between a label and its value.
    ranges.push(segments.length - 1, segments.length + character.length + REACH)
    segments.put(DECODED, character, index, at)
  })
  if (at === 0) return undefined
  segments.copy(at, text.length)
  return { isSure, reading: yield* Reading.of(segments, isSure ? 'all' : { ranges, by: 'touching' }) }
}

/**
 * Returns undefined for what is no escape. Equals signs also stand before results, as in "P=72 R=20": if the text may be no mail,
 * only marks, blanks and characters outside ASCII are decoded.
 */
function decode(written: string, isSure: boolean): string | undefined {
  if (written.length > 3) return ofUtf8(written)
  const byte = Number.parseInt(written.slice(1), 16)
  if (byte >= 0x80) return isSure || byte === 0xa0 ? WINDOWS_1252[byte - 0x80] : undefined
  if (byte < 0x20) return byte === 0x09 || byte === 0x0a || byte === 0x0d ? String.fromCharCode(byte) : undefined
  return isSure || !isLetterOrDigit(byte) ? String.fromCharCode(byte) : undefined
}

function isLetterOrDigit(byte: number): boolean {
  const lower = byte | 0x20
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}

/** Reads the escapes of two to four bytes. */
function ofUtf8(written: string): string {
  const bytes = written.length / 3
  let codePoint = Number.parseInt(written.slice(1, 3), 16) & (0x7f >> bytes)
  for (let at = 4; at < written.length; at += 3)
    codePoint = codePoint * 64 + (Number.parseInt(written.slice(at, at + 2), 16) & 0x3f)
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\ufffd'
}
