// Finds hospital record numbers: after a label, or without one (letters with six digits, runs of seven, card-like groups).
import { isCodeOrReference, isRoundCount } from '../context/clinical-codes.ts'
import { isFollowedByCount, isMoney, isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, type Finding, LABEL_GAP } from '../finding.ts'
import { isNumericDate } from './numeric-date.ts'

/** Matches a number after "no.", "number" or the like: "Ticket no. 12345", "IMC number 123456". It needs five digits. */
const NUMBERED =
  /(?<![A-Za-z])(?:no\.?|number|nr\.?|#|id) ?(?:is )?[:#=]? ?(\d{0,3}[A-Za-z]{0,3}[-/]?\d{5,12}[A-Za-z]?)(?![A-Za-z0-9]|[.,]\d)/gi
const LETTERED = /(?<![A-Za-z0-9])[A-Za-z]{1,3}-?\d{6,10}(?:[A-Za-z]|[-/]\d{1,3})?(?![A-Za-z0-9])/g
const LONG_RUN = /(?<![A-Za-z0-9])(?<!\d[.,])\d{7,}(?:-?[A-Za-z](?![A-Za-z0-9]))?(?!\d|[.,]\d)/g
const CARD_GROUPS = /(?<![A-Za-z0-9])(?<!\d[.,])\d{4}(?:[ -]\d{4}){2,3}(?:[ -]\d{1,3})?(?![A-Za-z0-9])/g
/** Words and multipliers before a number, and a trial registry's prefix. */
const NOT_A_PREFIX = /^(?:x|to|of|or|at|by|is|in|u|iu|nct)\d/i
const ROUND = /^[a-z]{1,3}\d0{5,}$/i
/** Matches six digits after the initials of a large hospital of Ireland or Northern Ireland: "RVH 123456". */
const AFTER_HOSPITAL =
  /(?<![A-Za-z0-9])(?:RVH|BCH|RBHSC|RJMH|MIH|UHD|AAH|SWAH|SJH|SVUH|SVPH|MMUH|MUH|CUH|CUMH|SIVUH|UHG|UHL|UHW|UHK|LUH|MRHT|MRHM|MRHP|OLOL|OLCHC|TUH|AMNCH|NMH|CWIUH|CWH|RCH|NRH|RVEEH|GUH|PUH|SUH)[ :#/-]{1,3}(\d{6})(?![A-Za-z0-9]|[.,/]\d)/g

/** Every unlabelled record number matches this; most letters do not. */
const FOUR_DIGITS = /\d{4}/

export function findUnlabelledRecordNumbers(text: string): Finding[] {
  const findings: Finding[] = []
  if (!FOUR_DIGITS.test(text)) return findings
  const add = (start: number, number: string): void => {
    if (isFollowedByCount(text, start + number.length) || isCodeOrReference(text, start, number)) return
    findings.push({
      shape: 'hospital_record_number',
      start,
      end: start + number.length,
      certainty: CERTAINTY.digitsOnly,
    })
  }
  for (const match of text.matchAll(NUMBERED)) {
    const number = match[1] ?? ''
    add(match.index + match[0].length - number.length, number)
  }
  for (const match of text.matchAll(AFTER_HOSPITAL)) {
    const number = match[1] ?? ''
    if (!number.endsWith('000')) add(match.index + match[0].length - 6, number)
  }
  for (const match of text.matchAll(LETTERED)) {
    if (!NOT_A_PREFIX.test(match[0]) && !ROUND.test(match[0])) add(match.index, match[0])
  }
  for (const match of text.matchAll(LONG_RUN)) {
    const digits = match[0].replace(/\D+$/, '')
    const isCount = isFollowedByCount(text, match.index + digits.length) || isMoney(text, match.index)
    if (!isCount && !isRoundCount(text, match.index, digits)) add(match.index, match[0])
  }
  for (const match of text.matchAll(CARD_GROUPS)) {
    if (!isYearsOrTimes(match[0])) add(match.index, match[0])
  }
  return findings
}

function isYearsOrTimes(written: string): boolean {
  return written
    .split(/[ -]/)
    .every((group) => /^(?:(?:19|20)\d\d|(?:[01]\d|2[0-4])[0-5]\d|\d{1,2}|\d{1,2}00)$/.test(group))
}

const NUMBER_WORD = '[ \\n.:-]{0,3}(?:no(?![a-z])|nos(?![a-z])|num|nr(?![a-z])|#|id(?![a-z])|ident|ref|i\\.d)'
const HOLDERS = [
  'hosp(?:ital)?|chart|patient|pt|case(?: ?notes?)?|file|folder|(?:health |medical )?record|medical(?: card)?|unit|district',
  'episode|encounter|visit|admission|attendance|accession|spell|board|client|clinic|practice|reg(?:istration)?|identity',
  'gms|dps|lti|emis|national insurance|ni|passport|policy|insurance|vhi|laya|individual health|unique|local',
  'a ?[/&+.]? ?e|a and e|e\\.?d|miu|lab(?:oratory)?|specimen|sample|x-?ray|radiology',
  'ivf|gum|histology|pathology|cytology',
].join('|')
/** Names that mean a record number whatever follows them. */
const SURE_NAMES = `m[. ]?r[. ]?n|hcrn|h\\.?r\\.?n(?![a-z])|mr(?= ?(?:#|no))|d\\.?c\\.?n|u\\.?h\\.?n|u\\.?r\\.?n|e?mpi|pas(?=${NUMBER_WORD})|i\\.?h\\.?i|nino|nhi(?=[ :#.]{1,3}(?:(?:no|number)[ :#.]{1,3})?[a-z]{3}\\d{4})|uimh(?:ir|\\.)? (?:an |na )?(?:ospideil|othair|ch?airte|th?aifid|ch?omhaid|leighis)|(?:${HOLDERS})\\.?(?=${NUMBER_WORD})`
/** Names of systems and stickers, whose numbers are long and often written in groups. */
const SYSTEM_NAMES = 'accession|pcrs|barcode|nimis|ipms?|i-?pims|healthlink|trakcare|mn-?cms|edis'
/** Names with another meaning too, such as PID. They need a colon, or a value that is more than a year or a count. */
const UNSURE_NAMES =
  'chart|hosp(?:ital)?|h[./]?n|c/n|rn|crn|bn|dn(?=[ :#.]{1,3}\\d{5})|pid|pas|(?:our |your )?ref(?:erence)?|file|record|episode|id|case(?: ?notes?)?'
/** A remark in brackets between a label and its value, unless it is the value: "MRN (old) 123456", but "MRN (123456)". */
const REMARK = '(?: ?\\((?! ?[A-Z]{0,3}[ ./-]?\\d(?:[ ./_-]?\\d){3,17}[A-Z]? ?\\))[^)\\n]{1,24}\\))'
const LABEL = new RegExp(
  `(?<![a-z0-9])(?:(${SURE_NAMES})(?:'?(s))?|(?:(${SYSTEM_NAMES})|${UNSURE_NAMES})(?![a-z]))${REMARK}?` +
    `(?:${NUMBER_WORD}[a-z]{0,8} [a-z ]{1,64}(?= (?:is|was)[ :]))?${LABEL_GAP}`,
  'gi',
)
/** JOINED has letters and digits without a blank, PREFIXED a prefix apart from its digits, GROUPED digits in groups. */
const JOINED = /[A-Za-z]{0,4}[./_-]?[A-Za-z]{0,4}[./_-]?\d(?:[./_-]?[\dA-Za-z]){2,17}(?![A-Za-z0-9])/y
const PREFIXED = /[A-Z]{1,3}[ \n]\d{4,10}(?![A-Za-z0-9])/y
const GROUPED = /[A-Za-z]{0,3}-?\d{1,3}(?:[ \n]\d{2,4}){1,4}(?![A-Za-z0-9]|[./-]\d)/y
/** Matches one more value after a label in the plural: "MRNs 123456 and 654321". */
const NEXT = /(?: ?[,;/&+] ?| )(?:and )?([A-Za-z]{0,3}-?\d{5,12})(?![A-Za-z0-9]|[./-]\d)/y
/** Allowed after the surest names only: also long groups, with any mark between them. */
const LONG_GROUPS = /[A-Za-z]{0,3}[ -]?\d{1,4}(?:(?: ?[-/_] ?|[ .\n])\d{2,6}){1,5}(?![A-Za-z0-9]|[./-]\d)/y

export function findLabelledRecordNumbers(text: string): Finding[] {
  const findings: Finding[] = []
  for (const match of text.matchAll(LABEL)) {
    const [label, sure, plural, system] = match
    const start = match.index + label.length
    const isSure = sure !== undefined
    const value = valueAt(text, start, isSure || system !== undefined)
    if (value === undefined || isDate(text, start, value, isSure || system !== undefined)) continue
    if (!isSure && (!isMoreThanCount(value, /[:#]/.test(label)) || isCodeOrReference(text, start, value))) continue
    const end = start + value.length
    if (!isSure && isAmount(text, label, value, end)) continue
    const certainty = isSure ? CERTAINTY.labelled : CERTAINTY.shaped
    findings.push({ shape: 'hospital_record_number', start, end, certainty })
    if (plural !== undefined) addNext(findings, text, end)
  }
  return findings
}

function addNext(findings: Finding[], text: string, from: number): void {
  NEXT.lastIndex = from
  for (let next = NEXT.exec(text); next !== null; next = NEXT.exec(text)) {
    const [whole, value = ''] = next
    const end = next.index + whole.length
    findings.push({ shape: 'hospital_record_number', start: end - value.length, end, certainty: CERTAINTY.labelled })
  }
}

/** Returns the record number at `start`, if it has four to eighteen digits. */
function valueAt(text: string, start: number, mayHaveLongGroups: boolean): string | undefined {
  const values = [JOINED, PREFIXED, mayHaveLongGroups ? LONG_GROUPS : GROUPED].flatMap((pattern) => {
    pattern.lastIndex = start
    const [value = ''] = pattern.exec(text) ?? []
    const digits = value.replace(/\D/g, '').length
    return digits >= 4 && digits <= 18 ? [value] : []
  })
  const [first, second] = values
  // Four digits before a blank may be the first group of a longer number.
  return first !== undefined && /^\d{4}$/.test(first) && second !== undefined ? second : first
}

/** Returns true for a count of something, such as a thousand. Few labels of numbers are also followed by a count. */
function isAmount(text: string, label: string, value: string, end: number): boolean {
  if (/^\d{4}$/.test(value)) return isFollowedByUnit(text, end)
  return value.endsWith('000') && /^(?:record|episode|case|file|id|ref)/i.test(label) && isFollowedByCount(text, end)
}

/** Returns true for a date, which findNumericDates reports. After a sure label, a unit after the value excludes a date. */
function isDate(text: string, start: number, value: string, isSure: boolean): boolean {
  return isNumericDate(text, start) && !(isSure && isFollowedByUnit(text, start + value.length))
}

/** Matches 10000.5, 1/2000 and 2019/2020, but not a number with its year's: 12/3456. */
const FRACTION = /^(?:\d+(?:\.\d+|\/\d{1,3})|\d\/\d+|(?:19|20)\d\d\/(?:19|20)\d\d)$/

function isMoreThanCount(value: string, hasColon: boolean): boolean {
  if (/^(?:19|20)\d\d(?:-(?:19|20)?\d\d)?$/.test(value)) return false
  return hasColon || (value.replace(/\D/g, '').length >= 5 && !FRACTION.test(value))
}
