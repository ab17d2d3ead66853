// Makes a copy of a text in which spelled numbers ("oh eight seven double one", "third of March nineteen seventy") are digits.
import { isDigit } from '../finding.ts'
import { withReplacements, type MatchingCopy, type Replacement } from './matching-copy.ts'

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

/** Every word that can be in a spelled number or date. */
export const NUMBER_WORDS: readonly string[] = [
  ...VALUES.keys(),
  ...ORDINAL_VALUES.keys(),
  'double',
  'treble',
  'triple',
  'hundred',
  'thousand',
]

const NUMBER = `(?:${[...VALUES.keys()].toSorted((a, b) => b.length - a.length).join('|')}|double|treble|triple|\\d{1,4})`
/** Matches four number words or more; fewer are counts and ages. Two blanks, commas or dashes at most are between two. */
const SPELLED_DIGITS = new RegExp(
  `(?<![a-z0-9])${NUMBER}(?:[ ,-]{1,2}${NUMBER}|(?<=[a-z],?)\\n(?=[a-z])${NUMBER}){3,40}(?![a-z0-9])`,
  'gi',
)
const CARDINAL = `(?:${[...UNITS.slice(1), ...TEENS].join('|')}|(?:${TENS.join('|')})(?:[ -](?:${UNITS.slice(1).join('|')}))?)`
/** Cardinals that can be a day after a month's name: "May one" and "March two" are no days. */
const TEN_OR_MORE = `(?:${TEENS.join('|')}|(?:${TENS.join('|')})(?:[ -](?:${UNITS.slice(1).join('|')}))?)`
const YEAR = `(?:(?:nineteen|twenty)[ -](?:oh[ -])?${CARDINAL}|nineteen hundred(?: and ${CARDINAL})?|two thousand(?: and)?(?: ${CARDINAL})?)`
const ORDINAL = `(?:(?:twenty|thirty)[ -])?(?:${ORDINALS.join('|')}|thirtieth)`
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)'
const SPELLED_DATE = new RegExp(
  `(?<![a-z])${YEAR}(?![a-z])|(?<![a-z])(?:${ORDINAL}|${CARDINAL})(?= (?:day )?(?:of )?${MONTH})` +
    `|(?<=${MONTH},? (?:the )?)(?:${ORDINAL}|${TEN_OR_MORE})(?![a-z])`,
  'gi',
)
const DIGIT_WORD = '(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|ten|double|treble|triple)'
/** Tests cheaply, before the costly pattern, for three number words in a row. */
const MAY_BE_DIGITS = new RegExp(
  `${DIGIT_WORD}[ ,\\n-]{1,2}${DIGIT_WORD}[ ,\\n-]{1,2}[a-z\\d]|(?:oh|zero|double)[ -](?:[a-z]{3,7}ty|[a-z]{3,6}teen)`,
  'i',
)
/** Tests cheaply for an ordinal next to a month, or a year in words. */
const MAY_BE_DATE =
  /(?:nineteen|twenty|thousand)[ -](?:oh|hundred|and|[a-z]{3,8})|(?:st|second|third|th|ten|[eo]n|ven|[eo])[ ](?:day )?(?:of )?(?:jan|feb|mar|apr|may|ju|aug|sep|oct|nov|dec)|(?:y|march|april|june|july|august|ber),? (?:the )?(?:[a-z]+th|first|second|third|t[ehw]|one|two|f[io]|s[ie]|eig|nin|ele)/i

/** Returns the copy with spelled numbers as digits, or undefined if none of them makes a number or a date. */
export function readNumberWords(copy: MatchingCopy): MatchingCopy | undefined {
  const { text } = copy
  const digits = MAY_BE_DIGITS.test(text) ? spelledDigits(text) : []
  const dates = MAY_BE_DATE.test(text) ? spelledDates(text) : []
  const replacements = [...digits, ...dates].toSorted((a, b) => a.start - b.start)
  return replacements.length === 0 ? undefined : withReplacements(copy, replacements)
}

/** Matches the surest labels of a record number and of a date of birth, right before words that are its digits. */
const LABEL_BEFORE =
  /(?<![a-z])(?:m[. ]?r[. ]?n|h\.?c?r\.?n|d\.?o\.?b|date of birth|(?:hosp(?:ital)?|chart|patient|pt|case|file|record|unit|gms|lti|tel(?:ephone)?|phone|mob(?:ile)?|ppsn?|nhs|h&c|chi)(?= (?:no|num|id|ref))|tel|phone|ppsn?)s?\.?(?: (?:no|number|num|nr|id|ref)\.?)?(?: (?:is|was))?[ \n:.=#,(-]{1,4}$/i
const LABEL_MAX = 40

/** Finds runs of number words that make seven digits or more, or four or more after a label. */
function spelledDigits(text: string): Replacement[] {
  const replacements: Replacement[] = []
  for (const match of text.matchAll(SPELLED_DIGITS)) {
    // A capital after a line end starts another sentence.
    const [spelled = ''] = match[0].split(/\n(?=[A-Z])/)
    const words = spelled.toLowerCase().split(/[ \n,-]+/)
    const spelledOut = words.filter(isSpelled).length
    const digits = joinDigits(words)
    // Numbers with a word or two between them are counts: "one 500 two 250". Three words begin a number of ten digits.
    const beginsWithWords = words.slice(0, 3).every(isSpelled)
    const isLabelled = (): boolean => LABEL_BEFORE.test(text.slice(Math.max(0, match.index - LABEL_MAX), match.index))
    if (spelledOut < 3 || (spelledOut === 3 && !(beginsWithWords && digits.length === 10))) continue
    if (digits.length >= 7 || (digits.length >= 4 && spelledOut === words.length && isLabelled()))
      replacements.push({ start: match.index, end: match.index + spelled.length, text: digits })
  }
  return replacements
}

/** Returns false for a number in digits. A number word has none. */
const isSpelled = (word: string): boolean => !isDigit(word.charCodeAt(0))

/** Joins words to digits: "double seven" is 77, "twenty three" is 23, "twenty" alone is 20; all others are appended. */
function joinDigits(words: readonly string[]): string {
  let digits = ''
  let times = 1
  words.forEach((word, index) => {
    if (word === 'double') times = 2
    else if (word === 'treble' || word === 'triple') times = 3
    else {
      const value = VALUES.get(word) ?? word
      const next = VALUES.get(words[index + 1] ?? '')
      const isTensOfPair =
        value.length === 2 && value.endsWith('0') && value >= '20' && next?.length === 1 && next !== '0'
      digits += (isTensOfPair ? value.charAt(0) : value).repeat(times)
      times = 1
    }
  })
  return digits
}

/** Matches the word before the day in "seen on one may". Others read "one may cross over". */
const DAY_BEFORE = /(?<![a-z])(?:on|the|dated|since|until) $/i

/** Matches the words before a count in "the first week or two of June". */
const WORDS_BEFORE_COUNT = /(?<![a-z])(?:week|day|month|night)s? or $/i

function spelledDates(text: string): Replacement[] {
  const replacements: Replacement[] = []
  for (const match of text.matchAll(SPELLED_DATE)) {
    // "The first week or two of June" has no day.
    const isCount = UNITS.includes(match[0].toLowerCase())
    if (isCount && WORDS_BEFORE_COUNT.test(text.slice(Math.max(0, match.index - 11), match.index))) continue
    const isPronoun = /^one$/i.test(match[0]) && text.startsWith(' may ', match.index + match[0].length)
    if (isPronoun && !DAY_BEFORE.test(text.slice(Math.max(0, match.index - 7), match.index))) continue
    const digits = dateDigits(match[0].toLowerCase().split(/[ -]/))
    replacements.push({ start: match.index, end: match.index + match[0].length, text: digits })
  }
  return replacements
}

/** Writes a day or a year in digits: "twenty first" is 21th, "nineteen seventy" is 1970. Date patterns accept "21th". */
function dateDigits(words: readonly string[]): string {
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
