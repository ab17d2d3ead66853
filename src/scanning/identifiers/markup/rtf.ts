// Reads RTF as a person reads it: control words do what they say or nothing, escapes are decoded.
import type { Steps } from '../../../platform/computation-steps.ts'
import { WINDOWS_1252, type Reading } from './reading.ts'
import { LABEL } from './html-elements.ts'
import { BREAK, CELL, CHARACTERS_PER_STEP, NOTHING, Rendering } from './rendering.ts'

const DOCUMENT = /\{\\rtf\d?/i
/** A part of a document has the end of a paragraph, and one more control word that only RTF has. */
const PARAGRAPH_END = /\\pard?(?![a-z])/i
const OTHER_WORD = /\\(?:tab|line|cell|row|plain|b0?|i0?|ul(?:none)?|f\d+|fs\d+|'[0-9a-f]{2}|~)(?![a-z])/i
/** Matches a few characters of a document that was pasted, and what looks like them. */
const MAY_BE = /\{\\rtf|\\(?:u-?\d{2,5} ?\?|'[0-9a-f]{2}|~|(?:tab|pard?|line|cell|b0?|i0?)(?![a-z]))/i
const CONTROL = /\\(?:([a-z]{1,32})(-?\d{1,10})?[ ]?|'([0-9a-f]{2})|([^a-z]))/iy
const FALLBACK = /\\'[0-9a-f]{2}|[^\\{}\r\n]/iy
const LINES = new Set(
  'par line sect page row column softline softpage nestrow shptxt dptxbxtext annotation result'.split(' '),
)
const CELLS = new Set(['tab', 'cell', 'nestcell'])
const BLANKS = new Set(['emspace', 'enspace', 'qmspace'])
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['bullet', '\u2022'],
])
/** Groups that a document does not show. They may hold words: the author, the target of a link. */
const UNREAD = new Set(['info', 'object', 'filetbl', 'revtbl', 'fldinst'])
/** Groups that only programs read. They hold no words, and many long numbers. */
const PROGRAMS = new Set(
  'fonttbl colortbl stylesheet pict listtable listoverridetable rsidtbl generator themedata colorschememapping datastore xmlnstbl latentstyles panose blipuid objdata expandedcolortbl mmathpr wgrffmtfilter bkmkstart bkmkend datafield txfielddata atndate atnref sv userprops passwordhash oleclsid htmltag'.split(
    ' ',
  ),
)
/** Groups that a document shows within one that it does not show: text boxes, comments, what an object looks like. */
const SHOWN = new Set(['shptxt', 'dptxbxtext', 'annotation', 'result'])
type Group = { shows: 'all' | 'words' | 'nothing'; fallbacks: number }
const body = (): Group => ({ shows: 'all', fallbacks: 1 })

function shownIn(word: string, before: Group['shows']): Group['shows'] {
  if (PROGRAMS.has(word.toLowerCase())) return 'nothing'
  if (before === 'words') return SHOWN.has(word) ? 'all' : 'words'
  return before === 'all' && UNREAD.has(word) ? 'words' : before
}

/** `isSure`: the text surely is RTF, so that the first reading takes its place. */
export type Rtf = { readonly isSure: boolean; readonly readings: readonly Reading[] }

export function* readRtf(text: string): Steps<Rtf | undefined> {
  if (!MAY_BE.test(text)) return undefined
  const isSure = DOCUMENT.test(text) || (PARAGRAPH_END.test(text) && OTHER_WORD.test(text))
  const rendering = new Rendering(text)
  const groups: Group[] = []
  let group = body()
  let at = 0
  let stepTo = CHARACTERS_PER_STEP
  const special = /[\\{}\r\n]/g
  for (;;) {
    special.lastIndex = at
    const next = special.exec(text)?.index ?? text.length
    if (group.shows === 'all') rendering.text(at, next)
    else if (next > at) readUnshown(at, next)
    if (next === text.length) break
    if (next >= stepTo) {
      yield next - stepTo + CHARACTERS_PER_STEP
      stepTo = next + CHARACTERS_PER_STEP
    }
    const code = text.charCodeAt(next)
    at = next + 1
    if (code === 0x7b || code === 0x7d) {
      if (code === 0x7b) groups.push(group)
      group = code === 0x7b ? { ...group } : (groups.pop() ?? body())
      rendering.markup(NOTHING, next)
      continue
    }
    if (code !== 0x5c) {
      rendering.markup(NOTHING, next)
      continue
    }
    CONTROL.lastIndex = next
    const match = CONTROL.exec(text)
    if (match === null) continue
    at = next + match[0].length
    const [, word, parameter, hex, symbol] = match
    if (word !== undefined) group.shows = shownIn(word, group.shows)
    if (group.shows !== 'all') readUnshown(next, at)
    else if (hex !== undefined) rendering.character(characterOfByte(Number.parseInt(hex, 16)), next, at)
    else if (symbol !== undefined) readSymbol(symbol, next, at)
    else readWord(word ?? '', parameter, next)
  }
  return { isSure, readings: isSure ? yield* rendering.finish() : yield* rendering.finishUnsure() }

  function readUnshown(from: number, to: number): void {
    rendering.markup(NOTHING, from)
    if (group.shows === 'words') rendering.hide(from, to)
  }

  function readSymbol(symbol: string, from: number, to: number): void {
    if (symbol === '~') rendering.character(' ', from, to)
    else if (symbol === '_') rendering.character('-', from, to)
    else if (symbol === '*') {
      group.shows = 'words'
      rendering.markup(NOTHING, from)
    } else if (symbol === '\n' || symbol === '\r') rendering.markup(BREAK, from)
    else if (symbol === '\\' || symbol === '{' || symbol === '}') rendering.character(symbol, from, to)
    else rendering.markup(NOTHING, from)
  }

  function readWord(word: string, parameter: string | undefined, from: number): void {
    if (word === 'u' && parameter !== undefined) {
      // Characters for programs that know no Unicode follow. They belong to this one.
      for (let left = group.fallbacks; left > 0; left -= 1) {
        FALLBACK.lastIndex = at
        if (FALLBACK.test(text)) at = FALLBACK.lastIndex
      }
      return rendering.character(String.fromCharCode(Number(parameter) & 0xffff), from, at)
    }
    const character = CHARACTERS.get(word) ?? (BLANKS.has(word) ? ' ' : undefined)
    if (character !== undefined) return rendering.character(character, from, at)
    if (word === 'uc') group.fallbacks = Math.min(8, Number(parameter ?? 1))
    if (word === 'bin') at = Math.min(text.length, at + Math.max(0, Number(parameter ?? 0)))
    // The parameter of a control word can hold a value: \mrn123456.
    rendering.markup(LINES.has(word) ? BREAK : CELLS.has(word) ? CELL : NOTHING, from)
    if (parameter !== undefined && LABEL.test(word)) rendering.hide(from, at)
  }
}

const characterOfByte = (byte: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : (WINDOWS_1252[byte - 0x80] ?? '')
