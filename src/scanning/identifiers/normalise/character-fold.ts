// Folds a text to ASCII for the search for identifiers: each character becomes the one that a reader takes it for.
import { CopyBuilder, type MatchingCopy, type SourceUnits } from './matching-copy.ts'

/** Returns the folded copy of a text. Printable ASCII, which is nearly all of a letter, is copied as it is. */
export function foldText(text: string): MatchingCopy {
  const builder = new CopyBuilder(text.length)
  let offset = 0
  for (let index = 0; index < text.length; index += 1, offset += 1) {
    const code = text.charCodeAt(index)
    if (code >= 0x20 && code < 0x7f) {
      builder.append(code, offset, offset + 1)
      continue
    }
    const codePoint = text.codePointAt(index) ?? code
    if (codePoint > 0xffff) index += 1
    appendFolded(builder, codePoint, offset, offset + 1)
  }
  return builder.build()
}

export function foldUnits(units: SourceUnits): MatchingCopy {
  const builder = new CopyBuilder(units.codePoints.length)
  units.codePoints.forEach((codePoint, index) => {
    appendFolded(builder, codePoint, units.starts[index] ?? 0, units.ends[index] ?? 0)
  })
  return builder.build()
}

function appendFolded(builder: CopyBuilder, codePoint: number, start: number, end: number): void {
  const fold = foldCodePoint(codePoint)
  for (let index = 0; index < fold.length; index += 1) {
    if (fold[index] === COMBINING_MARK) builder.extendLast(end)
    else builder.append(fold.charCodeAt(index), start, end)
  }
}

/** A character with no ASCII reading: no letter, digit, blank or separator. */
const OTHER = '\x7f'

/** A combining mark: it is not read, but belongs to the character before it. */
const COMBINING_MARK = '\x00'

/** Characters that look blank, but are letters or symbols in Unicode: Hangul fillers, the Braille blank. */
const FILLERS = new Set([0x115f, 0x1160, 0x3164, 0xffa0, 0x2800])

const FRACTION_SLASH = '\u2044'
const UNIT_SLASH = '\u2215'

const folded = new Map<number, string>()
/** A letter seldom has more than a few dozen characters to fold. The bound keeps hostile texts from filling memory. */
const FOLDED_MAX = 4096

/** Returns the ASCII reading of one code point: one character, several, or none. */
export function foldCodePoint(codePoint: number): string {
  const known = folded.get(codePoint)
  if (known !== undefined) return known
  if (folded.size >= FOLDED_MAX) folded.clear()
  const fold = foldCharacter(codePoint)
  folded.set(codePoint, fold)
  return fold
}

function foldCharacter(codePoint: number): string {
  if (codePoint >= 0x20 && codePoint < 0x7f) return String.fromCharCode(codePoint)
  if (codePoint === 0x0a || codePoint === 0x0b || codePoint === 0x0c) return '\n'
  if (codePoint === 0x85 || codePoint === 0x2028 || codePoint === 0x2029) return '\n'
  // A carriage return comes with a line end, which absorbs the blank.
  if (codePoint === 0x09 || codePoint === 0x0d) return ' '
  // Tag characters repeat ASCII at U+E0000 and are invisible.
  if (codePoint >= 0xe0020 && codePoint <= 0xe007e) return String.fromCharCode(codePoint - 0xe0000)
  if (codePoint < 0xa0 || FILLERS.has(codePoint)) return ''
  const character = String.fromCodePoint(codePoint)
  const alike = lookAlike(character)
  if (alike !== undefined) return alike
  if (/\p{Z}/u.test(character)) return ' '
  if (/\p{M}/u.test(character)) return COMBINING_MARK
  if (/\p{Cf}/u.test(character)) return ''
  if (/\p{Nd}/u.test(character)) return String(decimalValue(codePoint))
  const decomposed = character.normalize('NFKD')
  if (decomposed !== character) return foldDecomposed(decomposed)
  if (/\p{Pd}/u.test(character)) return '-'
  return OTHER
}

/** Folds a decomposed character. A blank comes before a vulgar fraction, because 1½ is not 11/2. */
function foldDecomposed(decomposed: string): string {
  // A unit in one character, such as m/s2, and a ligature of another script are never part of an identifier.
  if (decomposed.includes(UNIT_SLASH)) return OTHER
  let fold = decomposed.includes(FRACTION_SLASH) ? ' ' : ''
  for (const part of decomposed) fold += foldCodePoint(part.codePointAt(0) ?? 0)
  if (!fold.includes(OTHER)) return fold
  return /[!-~]/.test(fold) ? fold.replace(/\x7f{2,}/g, OTHER) : OTHER
}

/** Returns a digit's value. Decimal digits come in runs of ten from zero to nine, some runs end to end. */
function decimalValue(codePoint: number): number {
  let zero = codePoint
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (codePoint - zero) % 10
}

/** Reads pairs of one character and the ASCII that it is taken for. */
function readPairs(pairs: string): Map<string, string> {
  return new Map(
    pairs.split(' ').map((pair) => {
      const [character = '', ...reading] = pair
      return [character, reading.join('')]
    }),
  )
}

const LETTERS = readPairs(
  // Cyrillic
  'АA ВB ЕE ЅS ІI ЇI ЈJ КK МM НH ОO РP СC ТT ' +
    'УY ХX ҮY ԀD ԚQ ԜW ҒF ӀI ҺH ᏙV ѴV Ьb ' +
    'аa вb еe ѕs іi їi јj кk мm нh оo рp сc тt ' +
    'уy хx үy ԁd ԛq ԝw һh ӏl ѵv ոn սu օo զq ' +
    // Greek
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ' +
    'ϹC ϲc αa εe ιi κk μu νv οo ρp τt υu χx ϳj ' +
    // Latin letters without a decomposition
    'ıi łl ŁL øo ØO đd ĐD ħh ĦH ɑa ɡg ɩi ǀl ɴn ' +
    'ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ᴏo ᴘp ' +
    'ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ꓐB ꓑP ꓓD ꓔT ꓮA ꓰE',
)

const DIGITS = readPairs('З3 з3 Ӡ3 ᴣ3 Ʒ3 б6 Ƽ5 Ȣ8 Ч4 ч4 〇0')

const MARKS = readPairs(
  '−- ˗- ⁃- ➖- ー- ─- ━- ⸺- ⁄/ ∕/ ⧸/ ╱/ ⟋/ ÷/ ·. •. ‧. ∙. ⋅. ・. 。. ｡. ․. ●. ۔. ⸱. ' +
    "‚, ،, 、, ∶: ː: ꞉: ׃: ⁚: ’' ‘' ‛' ′' ʹ' ʼ' “\" ”\" „\" ″\" ∣| │| ┃| ❘| ×x ✕x ➕+ №No £$ €$ ¢$ ¥$",
)

/** Digits that Unicode counts as numbers but not as decimal digits: the first code point, its value, how many there are. */
const NUMBER_RUNS: readonly (readonly [first: number, value: number, count: number])[] = [
  [0x2776, 1, 9], // negative circled
  [0x2780, 1, 9], // circled, sans-serif
  [0x278a, 1, 9], // negative circled, sans-serif
  [0x24f5, 1, 9], // double circled
  [0x24ff, 0, 1], // negative circled zero
  [0x1f10b, 0, 1], // circled zero, sans-serif
  [0x1f10c, 0, 1], // negative circled zero, sans-serif
  [0x1369, 1, 9], // Ethiopic
]

/** Returns the ASCII that `character` is taken for, or undefined. */
function lookAlike(character: string): string | undefined {
  const single = LETTERS.get(character) ?? DIGITS.get(character) ?? MARKS.get(character)
  if (single !== undefined) return single
  const codePoint = character.codePointAt(0) ?? 0
  for (const [first, value, count] of NUMBER_RUNS) {
    if (codePoint >= first && codePoint < first + count) return String(value + codePoint - first)
  }
  return undefined
}
