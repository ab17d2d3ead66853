// A third reading of a copy: spelled numbers ("oh eight seven double one", "third of March nineteen seventy") as digits.
import type { MatchingCopy } from './matching-copy.ts'
import { withReadings } from './second-readings.ts'
import type { Reading } from './second-readings.ts'

const UNITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const TEENS = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
  'twentieth',
]

const VALUES = new Map<string, string>([
  ...UNITS.map((word, value): [string, string] => [word, String(value)]),
  ...TEENS.map((word, index): [string, string] => [word, String(index + 10)]),
  ...TENS.map((word, index): [string, string] => [word, `${index + 2}0`]),
  ...['oh', 'o', 'nought', 'naught'].map((word): [string, string] => [word, '0']),
  ['fourty', '40'],
])
const ORDINAL_VALUES = new Map<string, number>([
  ...ORDINALS.map((word, index): [string, number] => [word, index + 1]),
  ['thirtieth', 30],
])

const NUMBER = `(?:${[...VALUES.keys()].toSorted((a, b) => b.length - a.length).join('|')}|double|treble|triple|\\d{1,4})`
/** Seven words or more in a row: fewer are counts and ages. Three blanks or commas at most lie between two. */
const SPELLED_DIGITS = new RegExp(`(?<![a-z0-9])${NUMBER}(?:[ \\n,.\\-]{1,3}${NUMBER}){3,40}(?![a-z0-9])`, 'gi')
const CARDINAL = `(?:${[...UNITS.slice(1), ...TEENS].join('|')}|(?:${TENS.join('|')})(?:[ -](?:${UNITS.slice(1).join('|')}))?)`
const YEAR = `(?:(?:nineteen|twenty)[ -](?:oh[ -])?${CARDINAL}|nineteen hundred(?: and ${CARDINAL})?|two thousand(?: and)?(?: ${CARDINAL})?)`
const ORDINAL = `(?:(?:twenty|thirty)[ -])?(?:${ORDINALS.join('|')}|thirtieth)`
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)'
const SPELLED_DATE = new RegExp(
  `(?<![a-z])${YEAR}(?![a-z])|(?<![a-z])(?:${ORDINAL}|${CARDINAL})(?= (?:day )?(?:of )?${MONTH})` +
    `|(?<=${MONTH},? (?:the )?)(?:${ORDINAL}|${CARDINAL})(?![a-z])`,
  'gi',
)
/** A cheap look before the costly ones. */
const ANY_SPELLED =
  /(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|double)[ \n,.-]{1,3}(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|double|treble|triple|twent|thirt|fort|fift|sixt|sevent|eight|ninet|\d)|nineteen|twenty|thousand|(?:st|second|third|th|ten|[eo]n|ven)[ ](?:day )?(?:of )?(?:jan|feb|mar|apr|may|ju|aug|sep|oct|nov|dec)|(?:y|march|april|june|july|august|ber),? (?:the )?(?:[a-z]+th|first|second|third)\b/i

/** The copy with spelled numbers as digits, or undefined when it has none that make a number or a date. */
export function readNumberWords(copy: MatchingCopy): MatchingCopy | undefined {
  if (!ANY_SPELLED.test(copy.text)) return undefined
  const readings = [...spelledDigits(copy.text), ...spelledDates(copy.text)].toSorted((a, b) => a.start - b.start)
  return readings.length === 0 ? undefined : withReadings(copy, readings)
}

function spelledDigits(text: string): Reading[] {
  const readings: Reading[] = []
  for (const match of text.matchAll(SPELLED_DIGITS)) {
    const words = match[0].toLowerCase().split(/[ \n,.-]+/)
    // Figures with a word or two between them are counts: "one 500 two 250".
    if (words.filter((word) => !/\d/.test(word)).length < 4) continue
    const digits = joinDigits(words)
    if (digits.length >= 7) readings.push({ start: match.index, end: match.index + match[0].length, text: digits })
  }
  return readings
}

/** "double seven" is 77; "twenty three" is 23, "twenty" alone 20; everything else stands beside its neighbour. */
function joinDigits(words: readonly string[]): string {
  let digits = ''
  let times = 1
  words.forEach((word, index) => {
    if (word === 'double') times = 2
    else if (word === 'treble' || word === 'triple') times = 3
    else {
      const value = VALUES.get(word) ?? word
      const next = VALUES.get(words[index + 1] ?? '')
      const isTensOfPair = /^[2-9]0$/.test(value) && next !== undefined && /^[1-9]$/.test(next)
      digits += (isTensOfPair ? value.charAt(0) : value).repeat(times)
      times = 1
    }
  })
  return digits
}

function spelledDates(text: string): Reading[] {
  const readings: Reading[] = []
  for (const match of text.matchAll(SPELLED_DATE)) {
    const digits = dateNumber(match[0].toLowerCase().split(/[ -]/))
    readings.push({ start: match.index, end: match.index + match[0].length, text: digits })
  }
  return readings
}

function dateNumber(words: readonly string[]): string {
  const [first = '', second = ''] = words
  const ordinal = ORDINAL_VALUES.get(words.at(-1) ?? '')
  if (ordinal !== undefined) return `${ordinal + (words.length > 1 ? Number(VALUES.get(first) ?? 0) : 0)}th`
  const rest = words.filter((word) => word !== 'and' && word !== 'hundred' && word !== 'thousand').slice(1)
  const tail = rest.reduce((sum, word) => sum + Number(VALUES.get(word) ?? 0), 0)
  if (second === 'thousand') return String(2000 + tail)
  if (second === 'hundred' || first === 'nineteen') return words.length > 1 ? String(1900 + tail) : '19'
  const cardinal = Number(VALUES.get(first) ?? 0)
  // "twenty twenty-one" is a year, "twenty one" a day.
  return first === 'twenty' && tail >= 10 ? String(2000 + tail) : String(cardinal + tail)
}
