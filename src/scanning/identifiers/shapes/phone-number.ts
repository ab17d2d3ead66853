// Finds telephone numbers: Irish and British in national form, any country with + or 00, and any with a label.
import { isDeviceOrBatchNumber } from '../context/clinical-codes.ts'
import { CERTAINTY, DIGITS, LABEL_GAP, defineShape, isDigit, scan, type Finding } from '../finding.ts'
import { isFollowedByCount, isFollowedByUnit } from '../context/units.ts'
import { isBirthDate, ITEM_SCORES_BEFORE } from './health-number.ts'
import { isNumericDate } from './numeric-date.ts'

/** A dot with a blank after it ends a sentence. A line may end inside a number once. isPhoneGrouping checks the commas. */
const SEPARATOR = '\\)?(?: ?[-/_] ?\\(?|\\(|[.]|\\n| {1,2}\\(?|, ?(?=\\d{3}))?'
const NOT_INSIDE = '(?<![A-Za-z0-9+])(?<!\\d[.,-])(?<!(?<!\\d)\\d{1,2}/)'
/** An extension that belongs to the number: "x83956", " x123", " ext 12". "x 3" is a count of calls. */
const EXTENSION = /(?:x\d{2,6}| x\d{3,6}|,? ?ext(?:ension|n)?\.?[ :]?\d{1,6})(?![a-z0-9]|[.,/]\d)/iy
const NOT_GLUED = '(?!(?![xX]\\d{1,6}(?![A-Za-z0-9]))[A-Za-z0-9])'
const INTERNATIONAL = new RegExp(`${NOT_INSIDE}\\(?(?:\\+ ?|00 ?-?)\\(?[1-9](?:${SEPARATOR}\\d){7,14}(?!\\d)`, 'g')
const NATIONAL = new RegExp(
  `${NOT_INSIDE}(?!(?:[^/]{1,4}/){2})\\(?0(?=${SEPARATOR}[1-9])(?:${SEPARATOR}\\d){7,11}(?!-\\d)${NOT_GLUED}`,
  'g',
)
const FREEPHONE = new RegExp(`${NOT_INSIDE}1 ?(?:8[059]0|5[1-9]\\d)(?:[ .-]?\\d){6}(?![A-Za-z0-9])(?!\\.\\d)`, 'g')
const COUNTRY_WITHOUT_PLUS = new RegExp(`${NOT_INSIDE}\\(?(?:353|44)\\)?(?:[ .()-]{0,3}\\d){8,11}(?!\\d)`, 'g')
const BRACKETED_AREA = new RegExp(`${NOT_INSIDE}\\(\\d{2,5}\\) ?\\d{3,4}[ .-]?\\d{3,4}${NOT_GLUED}`, 'g')
/** "850-742-2977x40219". Without an extension, ten digits are an NHS number. */
const EXTENDED = new RegExp(`${NOT_INSIDE}\\d{3}([.-])\\d{3}\\1\\d{4}(?=x\\d)${NOT_GLUED}`, 'gi')

const WHOSE =
  "(?:[ \\n]?[(\\[]?(?:home|work|mobile|landline|daytime|evening|direct|line|his|her|their|the|my|our|wife|husband|partner|son|daughter|mother|father|mum|mam|dad|brother|sister|parents?|carer|neighbour|patient|pt|nok|gp|surgery|office|clinic|reception|practice|pharmacy|hospital|ward|me|us|him|them|back|of|for|on|at|via|is|was|no|numbers?|nos|num|nr|details|and|or|h|m|w)(?:'s)?[)\\]]?(?![a-z])\\.?){0,5}"
const NAMES =
  'tel(?:ephone|s)?|ph(?:one)?|mob(?:ile)?|cell(?: ?phone)?|fax|landline|contact(?:able)?|calls?|ring|rang|rung|dial|whats ?app|sms|text|helpline|freephone|nok|n\\.o\\.k\\.?|next[ \\n]of[ \\n]kin|emergency contact|' +
  'guthan(?: poca)?|fon(?: poca)?|teil(?:eafon)?|uimhir (?:ghuthain|theileafoin|fhoin|mhobaile)|[tmpfhw](?=: ?[+(0-9])'
const LABELLED = new RegExp(
  `(?<![a-z0-9])(${NAMES})(?![a-z])${WHOSE}${LABEL_GAP}(\\+?\\d(?:${SEPARATOR}\\d){4,14})${NOT_GLUED}(?!\\.\\d)`,
  'gi',
)
/** Labels that are less sure than "tel": a call can be about a result. */
const WEAK_NAME = /^(?:contact(?:able)?|calls?|ring|rang|rung|dial|sms|text|cell|t|m|p|f|h|w)$/i
/** Matches a local number of seven digits, or a shorter one after a mark: "Home 809 1234", "NOK Mary Byrne 809 1234". */
const SEVEN = '[2-9]\\d\\d[ .-]?\\d\\d[ ]?\\d\\d'
const LOCAL = new RegExp(
  `(?<![a-z0-9-])(?:(?:home|work|office|daytime|evening|baile|obair)(?:'s)?(?: (?:no|number|line)\\.?)?(?:[ \\n(]{1,2}(?=${SEVEN}(?!\\d))|(?: ?[:=(-]{1,2} ?|(?<= (?:no|number|line)\\.?) ))` +
    `|(?:nok|next of kin)(?![a-z])[^.;\\d\\n]{1,48}(?=${SEVEN}(?!\\d)))(${SEVEN}|\\d{2,3}[ -]\\d{3,4}|[2-9]\\d{4,6})(?![a-z0-9]|[ -]?\\d|[./:]\\d)`,
  'gi',
)

type Certainty = (written: string) => Finding<'phone_number'>['certainty']
/** The fewest and the most digits of a number that begins as `written` does. */
type Length = readonly [fewest: number, most: number]
type LengthOf = (written: string) => Length

const ANY_LENGTH: Length = [0, Infinity]
const NO_LENGTH: Length = [Infinity, 0]

export const phoneNumber = defineShape(
  { id: 'phone_number', group: 'contact', name: 'phone number', rank: 9 },
  { find: findPhoneNumbers, letters: 0, ...DIGITS },
)

function findPhoneNumbers(text: string): Finding<'phone_number'>[] {
  const findings: Finding<'phone_number'>[] = []
  const add = (start: number, end: number, certainty: Finding<'phone_number'>['certainty']): void => {
    // An opening bracket belongs to the number only with its closing one. After a label it was matched as part of the gap.
    const written = text.slice(start, end)
    const opens = written.startsWith('(') && !written.includes(')')
    const closes = text.charAt(start - 1) === '(' && /^[^(]*\)/.test(written)
    EXTENSION.lastIndex = end
    const last = EXTENSION.test(text) ? EXTENSION.lastIndex : end
    findings.push({ shape: 'phone_number', start: start + Number(opens) - Number(closes), end: last, certainty })
  }
  const find = (pattern: RegExp, lengthOf: LengthOf, certainty: Certainty): void => {
    scan(pattern, text, ({ 0: match, index }) => {
      const written = trimToGroups(match, lengthOf(match))
      if (written === undefined || CLOCK_TIMES.test(written)) return undefined
      const end = index + written.length
      // It may be the end of one line's number and the start of the next line's.
      if (written.includes('\n') && isEndOfOther(text, index)) return undefined
      if (!isTrunk(written) && isFollowedByCount(text, end)) return undefined
      if ((!isSurelyPhone(written) && isDeviceOrBatchNumber(text, index)) || areAnswers(text, index, written))
        return undefined
      add(index, end, certainty(written))
      return end
    })
  }
  scan(LABELLED, text, (match) => {
    const [whole, name = '', written = ''] = match
    const start = match.index + whole.length - written.length
    // "061 234 567 / 087 234 5678" are two.
    const value = trimToGroups(written, phoneLength(written)) ?? written
    if (!isLabelledNumber(text, name, value, start)) return undefined
    add(start, start + value.length, CERTAINTY.labelled)
    return start + value.length
  })
  for (const { 0: whole, 1: written = '', index } of text.matchAll(LOCAL)) {
    const end = index + whole.length
    if (!isFollowedByCount(text, end) && !isFollowedByUnit(text, end))
      add(end - written.length, end, CERTAINTY.labelled)
  }
  find(INTERNATIONAL, internationalLength, () => CERTAINTY.distinctive)
  find(NATIONAL, nationalLength, (written) => (isKnownArea(written) ? CERTAINTY.shaped : CERTAINTY.digitsOnly))
  find(COUNTRY_WITHOUT_PLUS, countryLength, () => CERTAINTY.shaped)
  find(
    FREEPHONE,
    () => ANY_LENGTH,
    () => CERTAINTY.shaped,
  )
  find(
    EXTENDED,
    () => ANY_LENGTH,
    () => CERTAINTY.shaped,
  )
  find(
    BRACKETED_AREA,
    () => ANY_LENGTH,
    () => CERTAINTY.shaped,
  )
  return findings
}

const isEndOfOther = (text: string, start: number): boolean =>
  /\d[ -]$/.test(text.slice(Math.max(0, start - 2), start)) || isNumericDate(text, start)

/** Returns true if the number begins with 0. No count begins so: a unit after the number belongs to something else. */
const isTrunk = (written: string): boolean => /^\(?0/.test(written)
/** Returns true for a mobile's prefix, or an area code in brackets: no device's number begins like that. */
const isSurelyPhone = (written: string): boolean =>
  /^\(0\d{1,4}\)/.test(written) || /^0(?:8[35679]\d{7}|7\d{9})$/.test(written.replace(/\D/g, ''))
const isMobile = (written: string): boolean =>
  /^(?:(?:00)?353|0)0?8[35679]\d{7}$|^(?:(?:00)?44|0)0?7\d{9}$/.test(written.replace(/\D/g, ''))
const isDublin = (written: string): boolean =>
  /^\(?01[ )]/.test(written) && /^01[2-9]\d{6}$/.test(written.replace(/\D/g, ''))
/** Returns true for answers of a questionnaire: "items 0 2 1 3 …". */
const areAnswers = (text: string, start: number, written: string): boolean =>
  /^\d(?: \d)+$/.test(written) && ITEM_SCORES_BEFORE.test(text.slice(Math.max(0, start - 60), start))

function isLabelledNumber(text: string, name: string, value: string, start: number): boolean {
  const digits = value.replace(/\D/g, '')
  const end = start + value.length
  if (digits.length < 5 || isNumericDate(text, start) || !isPhoneGrouping(value)) return false
  if (WEAK_NAME.test(name) && !isTrunk(value) && isFollowedByCount(text, end)) return false
  if (digits.length < 7) return !WEAK_NAME.test(name) && !/[./]/.test(value)
  // "T 36 80 16 98", "P 72 ...": a row of vital signs.
  return name.length > 1 || /^\+|^0|\d{4}/.test(value)
}

/** A labelled number needs the length of its kind if it begins with a trunk 0 or a +. Without either, any length is right. */
function phoneLength(written: string): Length {
  if (written.startsWith('+') || written.startsWith('00')) return internationalLength(written)
  return written.startsWith('0') ? nationalLength(written) : ANY_LENGTH
}

/** Returns the longest beginning of `written` that ends with a group and has the right length and groups. */
function trimToGroups(written: string, length: Length): string | undefined {
  const secondSlash = written.indexOf('/', written.indexOf('/') + 1)
  const candidate = secondSlash > written.indexOf('/') ? written.slice(0, secondSlash) : written
  const ends = groupEnds(candidate, length)
  if (ends.length === 0) return undefined
  // The part before a line end is the number if that is possible.
  const lineEnd = candidate.indexOf('\n')
  for (const end of ends.includes(lineEnd) ? [lineEnd, ...ends.toReversed()] : ends.toReversed()) {
    const trimmed = candidate.slice(0, end)
    if (isPhoneGrouping(trimmed)) return trimmed
  }
  return undefined
}

/**
 * Returns the ends of groups up to which there are as many digits as `length` allows. Leaves out those with too many groups of a
 * single digit. This test is cheaper than isPhoneGrouping, which decides.
 */
function groupEnds(written: string, [fewest, most]: Length): number[] {
  const ends: number[] = []
  let [digits, groups, single] = [0, 0, 0]
  let start = 0
  for (let end = 0; end <= written.length && digits <= most; end += 1) {
    if (isDigit(written.charCodeAt(end))) continue
    const length = end - start
    start = end + 1
    if (length === 0) continue
    digits += length
    if (length === 1) single += 1
    const isScattered = single > 2 && single < groups
    if (digits >= fewest && digits <= most && !isScattered) ends.push(end)
    groups += 1
  }
  return ends
}

/** Returns 8 to 15 digits with +. With 00 returns ten or more after it: fewer may be a record number with leading zeros. */
const internationalLength = (written: string): Length => (written.includes('+') ? [8, 15] : [12, 17])

/** Returns 353 with eight or nine digits, and 44 with ten. */
function countryLength(written: string): Length {
  // "444 516 322 387" is a row of results.
  if (/^(?:44[^7]|353) [^8]\d\d \d{3} \d{3}$/.test(written)) return NO_LENGTH
  return /^\(?353/.test(written) ? [11, 12] : [12, 12]
}

/** Returns digits in all: 10 for an Irish mobile, 9 for Dublin, 8 to 11 elsewhere in Ireland and the United Kingdom. */
function nationalLength(written: string): Length {
  if (/^\(?01(?!\d)/.test(written)) return [9, 9]
  const start = written.replace(/\D/g, '')
  if (/^08[35679]|^0818/.test(start)) return [10, 10]
  if (start.startsWith('00')) return NO_LENGTH
  return [/^\(?0\d{1,3}[)-]/.test(written) ? 8 : 9, 11]
}

/**
 * Requires groups of two or more digits, or all digits apart. Dots and dashes never mix. A mobile has its prefix and its length,
 * so one or two of its groups may be a single digit, and a comma may separate two. A Dublin number may have one.
 */
function isPhoneGrouping(written: string): boolean {
  if (written.includes(',') && !isMobile(written) && !/^\(?0\d{1,3}\)?,\d{5,8}$/.test(written)) return false
  // One slash may follow an area code; two are a date's.
  if (written.indexOf('/') !== written.lastIndexOf('/')) return false
  const rest = written.replace(/^\(?(?:\+|00)/, '').replace(/\(0\)/, ' ')
  const groups = rest.split(/\D+/).filter((group) => group !== '')
  if (/\d\.\d/.test(rest) && /\d-\d|\d \d/.test(rest)) return false
  if (groups.length > 6) return groups.every((group) => group.length === 1)
  const short = groups.filter((group) => group.length === 1).length
  // Dublin after the country code (+353 1), and the 0 of (0)20, are single digits.
  const isAtStart = groups[0]?.length === 1 || groups[1]?.length === 1
  if (short === 2) return isMobile(written) && groups[0]?.length === 3
  return short === 0 || (short === 1 && groups.length > 1 && (isAtStart || isMobile(written) || isDublin(written)))
}

function isKnownArea(written: string): boolean {
  const digits = written.replace(/\D/g, '')
  // No Irish subscriber's number starts with 0 or 1: those are more likely a CHI number's date.
  if (/^0[2-9]1[01]/.test(digits) && digits.length === 10) return false
  if (digits.length === 10 && isBirthDate(digits) && /^\(?(?:\d{10}|\d\d(?!\d))/.test(written)) return false
  return written !== digits || /^0(?:[38]|7[3-9]|1[2-9]|[2-9][2-9])/.test(digits)
}

const HOUR = '(?:[01]\\d|2[0-4])'
const TIME = `${HOUR}[0-5]\\d`
/** Matches the hours of a drug round, or week numbers in pairs: "0800 1200 1600". */
const CLOCK_TIMES = new RegExp(`^(?:${TIME}(?:\\D+${TIME})+|${HOUR}(?:\\D+${HOUR}){3,})$`)
