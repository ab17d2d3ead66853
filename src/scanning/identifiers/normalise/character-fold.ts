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

/**
 * Reads pairs of one character and the ASCII that it is taken for. The characters below are code points, because their look-alikes
 * could not be told apart in the source.
 */
const readPairs = (...rows: readonly string[]): Map<string, string> =>
  new Map(
    rows
      .flatMap((row) => row.split(' '))
      .map((pair) => {
        const [character = '', ...reading] = pair
        return [character, reading.join('')]
      }),
  )

const LETTERS = readPairs(
  // Cyrillic
  '\u{410}A \u{412}B \u{415}E \u{405}S \u{406}I \u{407}I \u{408}J \u{41a}K \u{41c}M \u{41d}H \u{41e}O \u{420}P',
  '\u{421}C \u{422}T \u{423}Y \u{425}X \u{4ae}Y \u{500}D \u{51a}Q \u{51c}W \u{492}F \u{4c0}I \u{4ba}H \u{474}V',
  '\u{42c}b \u{430}a \u{432}b \u{435}e \u{455}s \u{456}i \u{457}i \u{458}j \u{43a}k \u{43c}m \u{43d}h \u{43e}o',
  '\u{440}p \u{441}c \u{442}t \u{443}y \u{445}x \u{4af}y \u{501}d \u{51b}q \u{51d}w \u{4bb}h \u{4cf}l \u{475}v',
  // Armenian
  '\u{578}n \u{57d}u \u{585}o \u{566}q',
  // Cherokee
  '\u{13d9}V',
  // Greek
  '\u{391}A \u{392}B \u{395}E \u{396}Z \u{397}H \u{399}I \u{39a}K \u{39c}M \u{39d}N \u{39f}O \u{3a1}P \u{3a4}T',
  '\u{3a5}Y \u{3a7}X \u{3f9}C \u{3f2}c \u{3b1}a \u{3b5}e \u{3b9}i \u{3ba}k \u{3bc}u \u{3bd}v \u{3bf}o \u{3c1}p',
  '\u{3c4}t \u{3c5}u \u{3c7}x \u{3f3}j',
  // Latin letters without a decomposition
  '\u{131}i \u{142}l \u{141}L \u{f8}o \u{d8}O \u{111}d \u{110}D \u{127}h \u{126}H \u{251}a \u{261}g \u{269}i',
  '\u{1c0}l',
  // Latin small capitals
  '\u{274}n \u{1d00}a \u{299}b \u{1d04}c \u{1d05}d \u{1d07}e \u{262}g \u{29c}h \u{26a}i \u{1d0a}j \u{1d0b}k',
  '\u{29f}l \u{1d0d}m \u{1d0f}o \u{1d18}p \u{280}r \u{a731}s \u{1d1b}t \u{1d1c}u \u{1d20}v \u{1d21}w \u{28f}y',
  '\u{1d22}z',
  // Lisu
  '\u{a4d0}B \u{a4d1}P \u{a4d3}D \u{a4d4}T \u{a4ee}A \u{a4f0}E',
)

const DIGITS = readPairs(
  // Cyrillic
  '\u{417}3 \u{437}3 \u{4e0}3 \u{431}6 \u{427}4 \u{447}4',
  // Latin
  '\u{1d23}3 \u{1b7}3 \u{1bc}5 \u{222}8',
  // CJK
  '\u{3007}0',
)

const MARKS = readPairs(
  // Hyphens, dashes and lines
  '\u{2212}- \u{2d7}- \u{2043}- \u{2796}- \u{30fc}- \u{2500}- \u{2501}- \u{2e3a}-',
  '\u{ac}- \u{2504}- \u{2505}- \u{2508}- \u{2509}- \u{254c}- \u{2550}-',
  // Slashes
  '\u{2044}/ \u{2215}/ \u{29f8}/ \u{2571}/ \u{27cb}/ \u{f7}/',
  // Dots
  '\u{b7}. \u{2022}. \u{2027}. \u{2219}. \u{22c5}. \u{30fb}. \u{3002}. \u{ff61}. \u{2024}. \u{25cf}. \u{6d4}.',
  '\u{2e31}. \u{22ef}. \u{25aa}. \u{25e6}.',
  // Commas
  '\u{201a}, \u{60c}, \u{3001},',
  // Colons
  '\u{2236}: \u{2d0}: \u{a789}: \u{5c3}: \u{205a}:',
  // Apostrophes and single quotation marks
  "\u{2019}' \u{2018}' \u{201b}' \u{2032}' \u{2b9}' \u{2bc}'",
  // Double quotation marks
  '\u{201c}" \u{201d}" \u{201e}" \u{2033}"',
  // Guillemets
  '\u{ab}" \u{bb}" \u{2039}\' \u{203a}\'',
  // Arrows
  '\u{2192}> \u{21d2}> \u{21a6}> \u{2794}> \u{2799}> \u{279c}> \u{279e}> \u{27a4}> \u{27f6}> \u{25b6}> \u{25b8}> \u{25ba}>',
  '\u{2190}> \u{2191}> \u{2193}> \u{21d0}> \u{21d3}> \u{21b3}> \u{261e}> \u{27a1}> \u{1f449}>',
  // Vertical lines
  '\u{2223}| \u{2502}| \u{2503}| \u{2758}| \u{a6}|',
  // Crosses
  '\u{d7}x \u{2715}x',
  // Plus signs
  '\u{2795}+',
  // The numero sign
  '\u{2116}No',
  // Currency signs
  '\u{a3}$ \u{20ac}$ \u{a2}$ \u{a5}$',
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
