// Decodes escapes of markup, URLs and programs before the search for identifiers: &#57; &nbsp; %39 \u0039. Decodes once only.
import type { SourceUnits } from './matching-copy.ts'

/** Matches a character reference of HTML at one place. */
export const REFERENCE = /&#(\d{1,7});?|&#x([0-9a-f]{1,6});?|&([a-z]{2,8});/iy

const ESCAPE = new RegExp(
  `${REFERENCE.source}|((?:%[0-9a-f]{2})+)|\\\\u\\{([0-9a-f]{1,6})\\}|\\\\u([0-9a-f]{4})|\\\\x([0-9a-f]{2})`,
  'gi',
)

/** Returns the character of a reference, or undefined if it has none. */
export function characterOf([, decimal, hex, name]: readonly (string | undefined)[]): string | undefined {
  if (name !== undefined) return NAMED_CHARACTERS[name.toLowerCase()]
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10)
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined
}

const NAMED_CHARACTERS: Record<string, string> = {
  aacute: '\u00e1',
  amp: '&',
  apos: "'",
  bdquo: '\u201e',
  bsol: '\\',
  bull: '\u2022',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  deg: '\u00b0',
  eacute: '\u00e9',
  emsp: ' ',
  ensp: ' ',
  equals: '=',
  euro: '\u20ac',
  frasl: '/',
  gt: '>',
  hairsp: ' ',
  hellip: '\u2026',
  hyphen: '-',
  iacute: '\u00ed',
  laquo: '\u00ab',
  larr: '\u2190',
  ldquo: '\u201c',
  lowbar: '_',
  lpar: '(',
  lrm: '',
  lsquo: '\u2018',
  lt: '<',
  mdash: '-',
  micro: '\u00b5',
  middot: '.',
  minus: '-',
  nbsp: ' ',
  ndash: '-',
  newline: '\n',
  nobreak: '',
  num: '#',
  numsp: ' ',
  oacute: '\u00f3',
  period: '.',
  plus: '+',
  plusmn: '\u00b1',
  pound: '\u00a3',
  puncsp: ' ',
  quot: '"',
  raquo: '\u00bb',
  rarr: '\u2192',
  rdquo: '\u201d',
  rlm: '',
  rpar: ')',
  rsquo: '\u2019',
  semi: ';',
  shy: '',
  sol: '/',
  tab: ' ',
  thinsp: ' ',
  times: '\u00d7',
  uacute: '\u00fa',
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
  if (escapes !== undefined) return percentDecoded(escapes)
  return characterOf(['', decimal, hex ?? programs.find((code) => code !== undefined), name])
}

/** Decodes percent escapes. "50%20" may be a plain number, so the copy that is not decoded is searched too. */
function percentDecoded(escapes: string): string | undefined {
  // decodeURIComponent throws for each invalid escape, which is slow for a text with thousands of them.
  const bytes = Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))
  const decoded = utf8.decode(bytes)
  return decoded.includes('\ufffd') ? undefined : decoded
}
