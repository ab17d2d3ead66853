// Decodes escapes of markup, URLs and programs before the search for identifiers: &#57; &nbsp; %39 \u0039. Decodes once only.
import type { SourceUnits } from './matching-copy.ts'

const ESCAPE =
  /&#(\d{1,7});?|&#x([0-9a-f]{1,6});?|&([a-z]{2,8});|((?:%[0-9a-f]{2})+)|\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi

const NAMED_CHARACTERS: Record<string, string> = {
  amp: '&',
  apos: "'",
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  emsp: ' ',
  ensp: ' ',
  equals: '=',
  frasl: '/',
  gt: '>',
  hairsp: ' ',
  hyphen: '-',
  lowbar: '_',
  lpar: '(',
  lrm: '',
  lt: '<',
  mdash: '-',
  middot: '.',
  minus: '-',
  nbsp: ' ',
  ndash: '-',
  newline: '\n',
  nobreak: '',
  num: '#',
  numsp: ' ',
  period: '.',
  plus: '+',
  puncsp: ' ',
  quot: '"',
  rlm: '',
  rpar: ')',
  semi: ';',
  shy: '',
  sol: '/',
  tab: ' ',
  thinsp: ' ',
  zwj: '',
  zwnj: '',
}

const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** Returns `units` with every escape replaced by its character, or undefined if there is none. */
export function decodeEscapes(text: string, units: SourceUnits): SourceUnits | undefined {
  const decoded: SourceUnits = { codePoints: [], starts: [], ends: [] }
  // A match counts in UTF-16 units, `units` in code points.
  let unit = 0
  let position = 0
  let hasEscapes = false
  const copyUntil = (limit: number): void => {
    for (; position < limit; unit += 1) {
      const codePoint = units.codePoints[unit] ?? 0
      decoded.codePoints.push(codePoint)
      decoded.starts.push(units.starts[unit] ?? 0)
      decoded.ends.push(units.ends[unit] ?? 0)
      position += codePoint > 0xffff ? 2 : 1
    }
  }
  for (const match of text.matchAll(ESCAPE)) {
    const replacement = escapedText(match)
    if (replacement === undefined) continue
    hasEscapes = true
    copyUntil(match.index)
    const start = units.starts[unit] ?? 0
    // An escape is ASCII, so it has as many code points as UTF-16 units.
    unit += match[0].length
    position += match[0].length
    const end = units.ends[unit - 1] ?? start
    for (const character of replacement) {
      decoded.codePoints.push(character.codePointAt(0) ?? 0)
      decoded.starts.push(start)
      decoded.ends.push(end)
    }
  }
  copyUntil(text.length)
  return hasEscapes ? decoded : undefined
}

function escapedText(match: RegExpExecArray): string | undefined {
  const [, decimal, hex, name, escapes, ...programs] = match
  if (name !== undefined) return NAMED_CHARACTERS[name.toLowerCase()]
  if (escapes !== undefined) return percentDecoded(escapes)
  const digits = hex ?? programs.find((code) => code !== undefined)
  const codePoint = decimal === undefined ? Number.parseInt(digits ?? '', 16) : Number.parseInt(decimal, 10)
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined
}

/** Decodes percent escapes. "50%20" may be a plain number, so the copy that is not decoded is searched too. */
function percentDecoded(escapes: string): string | undefined {
  // decodeURIComponent throws for each invalid escape, which is slow for a text with thousands of them.
  const bytes = Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))
  const decoded = utf8.decode(bytes)
  return decoded.includes('\ufffd') ? undefined : decoded
}
