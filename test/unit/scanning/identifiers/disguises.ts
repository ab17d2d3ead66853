// Ways to write a text that reads the same to a person and differently to a machine: one for each step of the pipeline.
import fc from 'fast-check'

export type Disguise = {
  name: string
  apply: (text: string) => string
  /** Only for identifiers made of figures: the others have letters that this would change. */
  figuresOnly?: true
  /** Read forwards it may be another shape than read backwards; it must be refused all the same. */
  nameMayDiffer?: true
}

const digitsFrom = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const between = (mark: string) => (text: string) => Array.from(text).join(mark)
const each = (characters: Record<string, string>) => (text: string) =>
  text.replace(/./g, (character) => characters[character] ?? character)

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

export const DISGUISES: readonly Disguise[] = [
  { name: 'none', apply: (text) => text },
  {
    name: 'full-width',
    apply: (text) => text.replace(/[!-~]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0)),
  },
  { name: 'Arabic-Indic digits', apply: digitsFrom(0x660) },
  { name: 'Devanagari digits', apply: digitsFrom(0x966) },
  { name: 'Thai digits', apply: digitsFrom(0xe50) },
  { name: 'Adlam digits', apply: digitsFrom(0x1e950) },
  { name: 'bold digits', apply: digitsFrom(0x1d7ce) },
  { name: 'segmented digits', apply: digitsFrom(0x1fbf0) },
  { name: 'keycaps', apply: (text) => text.replace(/\d/g, (digit) => `${digit}\u{fe0f}\u{20e3}`) },
  { name: 'negative circled digits', apply: each({ 1: '❶', 2: '❷', 3: '❸', 4: '❹', 5: '❺', 0: '⓿' }) },
  { name: 'zero-width spaces', apply: between('\u{200b}') },
  { name: 'word joiners', apply: between('\u{2060}') },
  { name: 'soft hyphens', apply: between('\u{ad}') },
  { name: 'left-to-right marks', apply: between('\u{200e}') },
  { name: 'variation selectors', apply: between('\u{fe0e}') },
  { name: 'struck through', apply: between('\u{336}') },
  { name: 'Hangul fillers', apply: between('\u{3164}') },
  { name: 'no-break spaces', apply: (text) => text.replaceAll(' ', '\u{a0}') },
  { name: 'thin spaces', apply: (text) => text.replaceAll(' ', '\u{2009}') },
  { name: 'Ogham spaces', apply: (text) => text.replaceAll(' ', '\u{1680}') },
  { name: 'line end for a blank', apply: (text) => text.replace(' ', '\n') },
  { name: 'Windows line end', apply: (text) => text.replace(' ', '\r\n') },
  { name: 'two blanks', apply: (text) => text.replaceAll(' ', '  ') },
  { name: 'tab', apply: (text) => text.replaceAll(' ', '\t') },
  { name: 'other dashes and slashes', apply: each({ '-': '–', '/': '⁄', '.': '．' }) },
  { name: 'minus and division slash', apply: each({ '-': '−', '/': '∕', '.': '·' }) },
  {
    name: 'Cyrillic letters',
    apply: each({ A: 'А', B: 'В', C: 'С', E: 'Е', H: 'Н', K: 'К', T: 'Т', X: 'Х', a: 'а', e: 'е', o: 'о' }),
  },
  { name: 'Greek letters', apply: each({ A: 'Α', B: 'Β', E: 'Ε', H: 'Η', K: 'Κ', T: 'Τ', X: 'Χ', o: 'ο' }) },
  { name: 'decimal references', apply: (text) => text.replace(/[\dA-Z@]/g, (c) => `&#${c.charCodeAt(0)};`) },
  {
    name: 'hexadecimal references',
    apply: (text) => text.replace(/\d/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`),
  },
  {
    name: 'named references',
    apply: (text) => text.replaceAll(' ', '&nbsp;').replaceAll('/', '&sol;').replaceAll('@', '&commat;'),
  },
  { name: 'percent escapes', apply: (text) => encodeURIComponent(text).replaceAll('(', '%28') },
  { name: 'program escapes', apply: (text) => text.replace(/\d/g, (c) => `\\u003${c}`) },
  {
    name: 'tag characters',
    apply: (text) => text.replace(/[ -~]/g, (c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))),
  },
  {
    name: 'right-to-left override',
    apply: (text) => `\u{202e}${Array.from(text).toReversed().join('')}\u{202c}`,
    nameMayDiffer: true,
  },
  { name: 'O for 0', apply: (text) => text.replaceAll('0', 'O'), figuresOnly: true },
  { name: 'l for 1', apply: (text) => text.replaceAll('1', 'l'), figuresOnly: true },
  {
    name: 'number words',
    apply: (text) =>
      text
        .replace(/\D/g, '')
        .replace(/\d/g, (digit) => `${WORDS[Number(digit)]} `)
        .trim(),
    figuresOnly: true,
  },
]

export const disguise: fc.Arbitrary<Disguise> = fc.constantFrom(...DISGUISES)
