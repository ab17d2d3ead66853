// Finds hospital record numbers: after a label, or without one (letters with six digits, runs of seven, card-like groups).
import { isCodeOrReference, isRoundCount } from '../context/clinical-codes.ts'
import { isFollowedByCount, isMoney, isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, DIGITS, LABEL_GAP, defineShape, type Finding } from '../finding.ts'
import { isNumericDate, isRangeOfYears } from './numeric-date.ts'

type RecordNumber = Finding<'hospital_record_number'>

/** Matches a number after "no.", "number" or the like: "Ticket no. 12345", "IMC number 123456". It needs five digits. */
const NUMBERED =
  /(?<![A-Za-z])(?:no\.?|number|nr\.?|#|id) ?(?:is )?[:#=]? ?(\d{0,3}[A-Za-z]{0,3}[-/]?\d{5,12}[A-Za-z]?)(?![A-Za-z0-9]|[.,]\d)/gi
const LETTERED = /(?<![A-Za-z0-9])[A-Za-z]{1,3}-?\d{6,10}(?:[A-Za-z]|[-/]\d{1,3})?(?![A-Za-z0-9])/g
const LONG_RUN = /(?<![A-Za-z0-9])(?<!\d[.,])\d{7,}(?:-?[A-Za-z](?![A-Za-z0-9]))?(?!\d|[.,]\d)/g
const CARD_GROUPS = /(?<![A-Za-z0-9])(?<!\d[.,])\d{4}(?:[ -]\d{4}){2,3}(?:[ -]\d{1,3})?(?![A-Za-z0-9])/g
/** Words and multipliers before a number, and a trial registry's prefix. */
const NOT_A_PREFIX = /^(?:x|to|of|or|at|by|is|in|u|iu|nct)\d/i
const ROUND = /^[a-z]{1,3}\d0{5,}$/i
/** Six digits, which are a record number after a hospital: "RVH 123456", "(RVH) 123 456", "Rotunda 123456". */
const SIX_DIGITS =
  /\d{3} ?\d{3}(?<![\dA-Za-z]\d{3} ?\d{3})(?<!\d[ .,/-]\d{3} ?\d{3})(?![A-Za-z0-9]|[.,/-]\d)(?<! \d{3}(?= \d))/g
/** The larger hospitals of Ireland and Northern Ireland, by their initials and by their names. */
const INITIALS_BEFORE =
  /(?<![A-Za-z0-9])(?:RVH|BCH|RBHSC|RJMH|MIH|UHD|AAH|CAH|DHH|SWAH|SJH|SVUH|SVPH|MMUH|MUH|CUH|CUMH|SIVUH|CGH|UHG|UHL|UHW|UHK|LUH|MGH|MPUH|WGH|MRHT|MRHM|MRHP|OLOL|OLCHC|TUH|AMNCH|NMH|CWIUH|CWH|RCH|NRH|RVEEH|GUH|PUH|SUH|BUH)\)?[ :#/(-]{1,3}$/
const HOSPITAL_BEFORE = new RegExp(
  "(?<![a-z0-9])(?:rotunda|coombe|holles st(?:reet|\\.)?|mater|beaumont|tallaght|(?:st\\.? ?)?james['`]?s|(?:st\\.? ?)?vincent['`]?s|crumlin|temple st(?:reet|\\.)?|connolly|cappagh|blackrock|hermitage|st\\.? (?:luke|michael|columcille|john)['`]?s|naas|lourdes|drogheda|" +
    'cavan|monaghan|sligo|letterkenny|mayo|castlebar|galway|merlin park|portiuncula|ballinasloe|roscommon|limerick|croom|nenagh|ennis|cork|mercy|bon secours|kerry|tralee|bantry|mallow|waterford|ardkeen|wexford|kilkenny|clonmel|tullamore|mullingar|portlaoise|navan|dundalk|' +
    'royal victoria|royal|musgrave(?: park)?|altnagelvin|antrim(?: area)?|craigavon(?: area)?|daisy hill|causeway|ulster|lagan valley|erne|south west acute)' +
    '(?: (?:university|uni|general|gen|regional|public|private|maternity|childrens?|acute|clinic|hospital|hosp|no|number)\\.?){0,3}[ :#/(,-]{1,3}$',
  'i',
)

/** Every unlabelled record number matches this; most letters do not. */
const ENOUGH_DIGITS = /\d{3} ?\d/

function findUnlabelledRecordNumbers(text: string): RecordNumber[] {
  const findings: RecordNumber[] = []
  if (!ENOUGH_DIGITS.test(text)) return findings
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
  for (const { 0: number, index } of text.matchAll(SIX_DIGITS)) {
    const before = text.slice(Math.max(0, index - 56), index)
    const isNamed = HOSPITAL_BEFORE.test(before)
    if (!isNamed && !INITIALS_BEFORE.test(before)) continue
    const isResults = (isNamed || number.includes(' ')) && isFollowedByUnit(text, index + number.length)
    if (!number.endsWith('000') && !isResults) add(index, number)
  }
  for (const match of text.matchAll(LETTERED)) {
    if (!NOT_A_PREFIX.test(match[0]) && !ROUND.test(match[0])) add(match.index, match[0])
  }
  for (const match of text.matchAll(LONG_RUN)) {
    const digits = match[0].replace(/\D+$/, '')
    const isCount = isFollowedByCount(text, match.index + digits.length) || isMoney(text, match.index)
    if (isRangeOfYears(text, match.index, digits)) continue
    if (!isCount && !isRoundCount(text, match.index, digits)) add(match.index, match[0])
  }
  for (const match of text.matchAll(CARD_GROUPS)) {
    if (!YEARS_OR_TIMES.test(match[0])) add(match.index, match[0])
  }
  return findings
}

const YEAR_OR_TIME = '(?:(?:19|20)\\d\\d|(?:[01]\\d|2[0-4])[0-5]\\d|\\d{1,2}(?:00)?)'
const YEARS_OR_TIMES = new RegExp(`^${YEAR_OR_TIME}(?:[ -]${YEAR_OR_TIME})*$`)

const NUMBER_WORD = '[ \\n.:-]{0,3}(?:no(?![a-z])|nos(?![a-z])|num|nr(?![a-z])|#|id(?![a-z])|ident|ref|i\\.d)'
const HOLDERS = [
  'hosp(?:ital)?|chart|patient|pt|case(?: ?notes?)?|file|folder|(?:health |medical )?record|medical(?: card)?|unit|district',
  'episode|encounter|visit|admission|attendance|accession|spell|board|client|clinic|practice|reg(?:istration)?|identity',
  '(?:gms|dps|lti|haa|gp visit|long[ -]term illness|drugs payment)(?: (?:scheme|book|card|client|patient)){0,2}|emis|national insurance|ni|passport|policy|insurance|vhi|laya|individual health|unique|local',
  'a ?[/&+.]? ?e|a and e|e\\.?d|miu|lab(?:oratory)?|specimen|sample|x-?ray|radiology',
  'ivf|gum|histology|pathology|cytology',
].join('|')
/** Schemes of the Irish health service, whose numbers have at least five digits: "LTI 123456", "GMS 1234567A". */
const SCHEMES =
  '(?:(?:lti|gms|dps|haa)(?: (?:book|card|scheme))?|(?:medical|gp visit) card)(?=[^a-z0-9]{1,90}(?:value[^a-z0-9]{1,8})?[a-z]?\\d{5,8}[a-z]?(?![a-z0-9]))'
/** Names that mean a record number whatever follows them. */
const SURE_NAMES = `m[. ]?r[. ]?n|hcrn|h\\.?r\\.?n(?=s?(?![a-z]))|mr(?= ?(?:#|no))|d\\.?c\\.?n|u\\.?h\\.?n|u\\.?r\\.?n|e?mpi|pas(?=${NUMBER_WORD})|i\\.?h\\.?i|nino|nhi(?=[ :#.-]{1,3}(?:(?:no|number)[ :#.]{1,3})?[a-z]{3}\\d\\d(?:\\d\\d|[a-z]{2}))|uimh(?:ir|\\.)? (?:an |na )?(?:ospideil|othair|ch?airte|th?aifid|ch?omhaid|leighis)|(?:${HOLDERS})\\.?(?=${NUMBER_WORD})|${SCHEMES}`
/** Names of systems and stickers, whose numbers are long and often written in groups. */
const SYSTEM_NAMES = 'accession|pcrs|barcode|nimis|ipms?|i-?pims|healthlink|trakcare|mn-?cms|edis'
/** Names with another meaning too, such as PID. They need a colon, or a value that is more than a year or a count. */
const UNSURE_NAMES =
  'chart|hosp(?:ital)?|h[./]?n(?![ :]{1,2}\\d{1,3}/\\d{1,5} (?:lymph|nodes))|c/n|rn|crn|bn|dn(?=[ :#.]{1,3}\\d{5})|pid|pas|(?:our |your )?ref(?:erence)?|file|record|episode|id|case(?: ?notes?)?|' +
  '(?:histo(?:logy)?|path(?:ology)?|cytology|biopsy)(?=[ :#]{1,3}[a-z]{1,2}\\d\\d[-/]\\d{4,6}(?![a-z0-9]))'
/** Brackets after a label. They hold a remark before the value or a value: "MRN (old) 123456", "MRN (123456)". Both are read. */
const BRACKETS = `(?:(?:${NUMBER_WORD}(?:bers?)?\\.?)?( ?\\([^)\\n]{1,24}\\)))?`
/** What may be between the opening bracket and a value: "MRN (old 123456)". */
const GAP_IN_BRACKETS = new RegExp(
  `\\((?: ?(?:old|new|prev(?:ious)?|former|current|chart|hosp(?:ital)?|patient|file)(?![a-z])){0,2}${LABEL_GAP}`,
  'iy',
)
const LABEL = new RegExp(
  `(?<![a-z0-9])(?:(${SURE_NAMES})(?:'?(s))?|(?:(${SYSTEM_NAMES})|${UNSURE_NAMES})(?![a-z]))${BRACKETS}` +
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

/** Allowed after the surest names only: digits apart, or in thousands. */
const ALL_APART = /(?:\d( ?[.,/_|-] ?| )\d(?:\1\d){2,10}|\d{1,3}(?:,\d{3}){1,3})(?![A-Za-z0-9]|[ .,/-]\d)/y

export const recordNumber = defineShape(
  { id: 'hospital_record_number', group: 'person', name: 'hospital record number', rank: 11 },
  { find: findLabelledRecordNumbers, letters: 1, ...DIGITS },
  { find: findUnlabelledRecordNumbers, letters: 0, ...DIGITS },
)

function findLabelledRecordNumbers(text: string): RecordNumber[] {
  const findings: RecordNumber[] = []
  for (const match of text.matchAll(LABEL)) {
    const [written, sure, plural, system, brackets] = match
    const label = { written, isSure: sure !== undefined, isSystem: system !== undefined }
    const inBrackets = brackets === undefined ? undefined : findInBrackets(text, match.index, label, brackets)
    if (inBrackets !== undefined) findings.push(inBrackets)
    const found = findAt(text, match.index + written.length, label)
    if (found === undefined) continue
    findings.push(found)
    if (plural !== undefined) addNext(findings, text, found.end)
  }
  return findings
}

type Label = { written: string; isSure: boolean; isSystem: boolean }

/** Returns the record number at `start`, which is right after its label or in the brackets after it. */
function findAt(text: string, start: number, { written, isSure, isSystem }: Label): RecordNumber | undefined {
  const value =
    valueAt(text, start, isSure || isSystem) ??
    (/^m[. ]?r[. ]?n/i.test(written) ? shortValueAt(text, start) : undefined)
  if (value === undefined || isDate(text, start, value, isSure || isSystem)) return undefined
  if (!isSure && (!isMoreThanCount(value, /[:#]/.test(written)) || isCodeOrReference(text, start, value)))
    return undefined
  const end = start + value.length
  if (!isSure && isAmount(text, written, value, end)) return undefined
  return {
    shape: 'hospital_record_number',
    start,
    end,
    certainty: isSure ? CERTAINTY.labelled : CERTAINTY.shaped,
  }
}

/** Returns the record number in the brackets after a label. After an unsure label nothing else may be in them: "chart (12345 pages)". */
function findInBrackets(text: string, at: number, label: Label, brackets: string): RecordNumber | undefined {
  const name = label.written.slice(0, label.written.indexOf(brackets))
  GAP_IN_BRACKETS.lastIndex = at + name.length + brackets.indexOf('(')
  if (!GAP_IN_BRACKETS.test(text)) return undefined
  const found = findAt(text, GAP_IN_BRACKETS.lastIndex, { ...label, written: name })
  const isWhole = found !== undefined && /^ ?[),;]/.test(text.slice(found.end, found.end + 2))
  return label.isSure || isWhole ? found : undefined
}

function addNext(findings: RecordNumber[], text: string, from: number): void {
  NEXT.lastIndex = from
  for (let next = NEXT.exec(text); next !== null; next = NEXT.exec(text)) {
    const [whole, value = ''] = next
    const end = next.index + whole.length
    findings.push({ shape: 'hospital_record_number', start: end - value.length, end, certainty: CERTAINTY.labelled })
  }
}

const SHORT = /[A-Za-z]{2,4}-?\d{3}(?![A-Za-z0-9]|[.,/-]\d)/y

/** Matches a number of the newer form of New Zealand's NHI, which has only two digits. */
const NHI = /^[A-Z]{3}\d\d[A-Z]{2}$/i

/** Returns the value at `start`, if it has four to eighteen digits. */
function valueAt(text: string, start: number, mayHaveLongGroups: boolean): string | undefined {
  const values = [JOINED, PREFIXED, ...(mayHaveLongGroups ? [LONG_GROUPS, ALL_APART] : [GROUPED])].flatMap(
    (pattern) => {
      pattern.lastIndex = start
      const [value = ''] = pattern.exec(text) ?? []
      const digits = value.replace(/\D/g, '').length
      return (digits >= 4 && digits <= 18) || (mayHaveLongGroups && NHI.test(value)) ? [value] : []
    },
  )
  const [first, second] = values
  // Four digits before a blank may be the first group of a longer number.
  return first !== undefined && /^\d{4}$/.test(first) && second !== undefined ? second : first
}

/** Returns the letters and three digits at `start`: "MRN abc123". */
function shortValueAt(text: string, start: number): string | undefined {
  SHORT.lastIndex = start
  return SHORT.exec(text)?.[0]
}

/** Returns true for a count of something, such as a thousand. Few labels of numbers are also followed by a count. */
function isAmount(text: string, label: string, value: string, end: number): boolean {
  if (/^\d{4}$/.test(value)) return isFollowedByUnit(text, end)
  return value.endsWith('000') && /^(?:record|episode|case|file|id|ref|dn)/i.test(label) && isFollowedByCount(text, end)
}

/** Returns true for a date, which findNumericDates reports. After a sure label, a unit after the value excludes a date. */
const isDate = (text: string, start: number, value: string, isSure: boolean): boolean =>
  isNumericDate(text, start) && !(isSure && isFollowedByUnit(text, start + value.length))

/** Matches 10000.5, 1/2000 and 2019/2020, but not a number with its year's: 12/3456. */
const FRACTION = /^(?:\d+(?:\.\d+|\/\d{1,3})|\d\/\d+|(?:19|20)\d\d\/(?:19|20)\d\d)$/

function isMoreThanCount(value: string, hasColon: boolean): boolean {
  if (/^(?:19|20)\d\d(?:-(?:19|20)?\d\d)?$/.test(value)) return false
  return hasColon || (value.replace(/\D/g, '').length >= 5 && !FRACTION.test(value))
}
