// Finds dates in digits: 12/03/1970, 1.2.21, 2021-03-12, 12031970, 03/2021, dated 120324. Skips fractions, doses and section numbers.
import { isDeviceOrBatchNumber } from '../context/clinical-codes.ts'
import { isFollowedByRunUnit, isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, DIGITS, scan, type Finder, type Finding } from '../finding.ts'

const YEAR = '(?:18|19|20)\\d\\d'
const SEPARATOR = "(?: ?[/.\\-_\\\\,|:'~]{1,2} ?|[/-]\\n|\\n[/-])"
const THREE_PARTS = `(\\d{1,2})(?:st|nd|rd|th)?(${SEPARATOR})(\\d{1,2})(${SEPARATOR})'?(${YEAR}|\\d{2})(?!\\d|[.,]\\d)`
const DAY_FIRST = new RegExp(`(?<!\\d)(?<!\\d[.,/])${THREE_PARTS}`, 'g')
const DAY_FIRST_HERE = new RegExp(THREE_PARTS, 'y')
const YEAR_FIRST_HERE = new RegExp(`${YEAR}[-/.](?:0[1-9]|1[0-2])[-/.]\\d\\d(?!\\d)`, 'y')
const BLANKS = new RegExp(`(?<![\\dA-Za-z])(?<!\\d[.,/-])(\\d{1,2})[ \\n](\\d{1,2})[ \\n](${YEAR})(?![\\dA-Za-z])`, 'g')
const YEAR_FIRST = new RegExp(
  `(?<![\\dA-Za-z])(${YEAR})(${SEPARATOR}| )(\\d{1,2})(${SEPARATOR}| )(\\d{1,2})(?!\\d)`,
  'g',
)
const MONTH_YEAR = new RegExp(
  `(?<![\\dA-Za-z])(?<!\\d ?[.,/:+-] ?)(0?[1-9]|1[0-2])( ?[/.\\-] ?)(${YEAR})(?![\\dA-Za-z])(?!-?[/.]\\d)`,
  'g',
)
const YEAR_MONTH = new RegExp(
  `(?<![\\dA-Za-z])(?<!\\d[.,/-])(${YEAR})([/-])(0[1-9]|1[0-2])(?![\\dA-Za-z])(?![/.-]\\d)`,
  'g',
)
const ROMAN_MONTH = new RegExp(
  `(?<![\\dA-Za-z])\\d{1,2}([./-])(?:i{1,3}|iv|vi{0,3}|ix|xi{0,2})\\1(?:${YEAR}|\\d{2})(?!\\d)`,
  'gi',
)
const COMPACT = /(?<![\dA-Za-z])(?<!\d[.,/-])\d{8}(?:T\d{4,6}Z?)?(?![\dA-Za-z])(?!\.\d)/g
/** Six figures are a date only after a word for one: "letter dated 120324". */
const SIX_FIGURES = /\d{6}(?<![\dA-Za-z]\d{6})(?<!\d[.,/-]\d{6})(?![\dA-Za-z]|[.,/-]\d)/g
const DATED_BEFORE =
  /(?<![a-z])(?:dated|(?:seen|reviewed|admitted|discharged|attended|presented|clinic|bloods|scan|mri|ct|x-?ray|operated|appointment|appt|surgery|ed|a&e|opd)(?: again| back)? on|admitted|discharged|(?:letter|report|note|summary|scan|mri|ct|x-?ray|bloods) (?:of|from)(?: the)?)[ \n:.=-]{1,3}$/i

export const numericDates: Finder<'date'> = { find: findNumericDates, letters: 0, ...DIGITS }

function findNumericDates(text: string): Finding<'date'>[] {
  const findings: Finding<'date'>[] = []
  const find = (pattern: RegExp, isDate: (match: RegExpExecArray) => boolean): void => {
    scan(pattern, text, (match) => {
      if (!isDate(match)) return undefined
      const end = match.index + match[0].length
      findings.push({ shape: 'date', start: match.index, end, certainty: CERTAINTY.shaped })
      return end
    })
  }
  find(DAY_FIRST, (match) => isDayMonthYear(text, match))
  find(BLANKS, ([, day = '', month = '']) => isDayAndMonth(day, month))
  find(YEAR_FIRST, (match) => isYearMonthDay(match) && !isCitation(text, match))
  find(MONTH_YEAR, (match) => isMonthAndYear(text, match))
  // 2001-05 may be a range of years; 2021-03 cannot be.
  find(YEAR_MONTH, ([, year = '', mark, month = '']) => mark === '/' || Number(month) <= Number(year.slice(2)))
  find(ROMAN_MONTH, () => true)
  find(
    COMPACT,
    ({ 0: digits, index }) =>
      isCompactDate(digits) && !isDeviceOrBatchNumber(text, index) && !isRangeOfYears(text, index, digits),
  )
  find(SIX_FIGURES, ({ 0: digits, index }) => {
    return isDayOfYear(digits) && DATED_BEFORE.test(text.slice(Math.max(0, index - 32), index))
  })
  return findings
}

/** Returns true for day, month and year: 120324. */
function isDayOfYear(digits: string): boolean {
  const [day, month] = [Number(digits.slice(0, 2)), Number(digits.slice(2, 4))]
  return day >= 1 && month >= 1 && month <= 12 && day <= (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)
}

/** Returns true if a date in digits starts at `start`. Searches for telephone and record numbers use this to skip dates. */
export function isNumericDate(text: string, start: number): boolean {
  DAY_FIRST_HERE.lastIndex = start
  const [, day = '', , month = '', , year = ''] = DAY_FIRST_HERE.exec(text) ?? []
  if (year !== '') return isDayAndMonth(day, month)
  YEAR_FIRST_HERE.lastIndex = start
  return YEAR_FIRST_HERE.test(text)
}

function isDayMonthYear(text: string, match: RegExpExecArray): boolean {
  const [whole, day = '', first = '', month = '', second = '', year = ''] = match
  const end = match.index + whole.length
  const mark = first.trim().charAt(0)
  const before = text.slice(Math.max(0, match.index - 2), match.index)
  // 14/7/23-21/7/23 are two dates, 1-10-8-12 are four numbers.
  if (mark === '-' && /\d-$/.test(before)) return false
  // One more part with the same mark, before or after, makes a list, an IP address or a version.
  if (
    new RegExp(`^ ?[${mark === '-' || mark === '\\' ? `\\${mark}` : mark}]\\d`).test(text.slice(end, end + 3)) &&
    mark !== '-'
  )
    return false
  if (year.length === 4)
    return mark !== ',' && mark !== '|' ? isYearForm(before, day, month) : isDayAndMonth(day, month)
  // The apostrophe of a shortened year is matched with the mark before it.
  if (first.trim() !== second.trim().replace(/(?<=.)'$/, '') || !/[/.-]/.test(mark)) return false
  if (!isTwoDigitForm(day, month, year) || isGluedToCode(text, match.index)) return false
  if (mark === '-' && /^-\d/.test(text.slice(end, end + 2))) return false
  if (isFollowedByUnit(text, end)) return false
  const isPadded = day.startsWith('0') || month.startsWith('0')
  if (isPadded) return true
  if (mark === '-' && isFollowedByRunUnit(text, end)) return false
  if (mark === '/' && (isWeeks(text, match) || isInPath(text, match.index))) return false
  return mark === '.' ? !isAfterSectionWord(text, match.index) : !isAfterDoseWord(text, match.index)
}

/** One letter, or a name that ends in a number or has its numbers right after it: "C5/6/12", "PHQ9/10/21", "IOP12/14/16". */
const NUMBERED_NAME =
  /(?:^|[^A-Za-z])(?:[A-Za-z]|perr?la|asa|ipss|para|ecog|mmse|moca|amts?|epds|nihss|vas|phq|gad|news|das|eq|sf|co|spo|fev|fib|ca|il|hla|cyp|iop|va|bp|bms?|gcs)$/i

/** Returns true right after letters that belong to the numbers: "C5/6/12". A word there has only lost its blank: "CT3.1.24". */
function isGluedToCode(text: string, start: number): boolean {
  return /[A-Za-z]$/.test(text.charAt(start - 1)) && NUMBERED_NAME.test(text.slice(Math.max(0, start - 8), start))
}

function isYearMonthDay(match: RegExpExecArray): boolean {
  const [, , first = '', month = '', second = '', day = ''] = match
  if (first.trim() !== second.trim() || !isDayAndMonth(day, month)) return false
  return first !== ' ' || (month.length === 2 && day.length === 2)
}

/** Returns true for weeks with words for a duration: "for 3/4/52", "3/4/52 completed". */
function isWeeks(text: string, match: RegExpExecArray): boolean {
  const [whole, fewest = '', , most = '', , unit = ''] = match
  if (unit !== '52' || Number(fewest) >= Number(most) || Number(most) > 12) return false
  const end = match.index + whole.length
  return (
    /(?<![a-z])(?:for|over|every|x|another|further|extended) $/i.test(
      text.slice(Math.max(0, match.index - 10), match.index),
    ) || /^ (?:completed|course|ago|duration)(?![a-z])/i.test(text.slice(end, end + 12))
  )
}

/** Returns true in the path of an address: "journal.com/content/3/1/31". */
function isInPath(text: string, start: number): boolean {
  if (text.charAt(start - 1) !== '/') return false
  return /(?:https?:|www\.|[a-z0-9-]\.(?:com|org|net|gov|edu|ie|uk|eu)\/)[^ \n]*$/i.test(
    text.slice(Math.max(0, start - 90), start),
  )
}

/** Returns true for volume and pages after a journal's year: "2001:7:15-19". */
function isCitation(text: string, { 0: whole, 2: mark, index }: RegExpExecArray): boolean {
  const end = index + whole.length
  return mark === ':' && /^-\d{1,4}(?![\d:])/.test(text.slice(end, end + 6))
}

const SURVEY_BEFORE = /(?<![a-z])(?:nhanes|surveys?|statistics|census)\)?[ ,(]{1,3}$/i

/** Returns true for two years whose dash is lost, after a word for a survey: "NHANES 20092010". */
export function isRangeOfYears(text: string, start: number, digits: string): boolean {
  if (!/^(?:19|20)\d\d(?:19|20)\d\d$/.test(digits)) return false
  const years = Number(digits.slice(4)) - Number(digits.slice(0, 4))
  return years > 0 && years <= 10 && SURVEY_BEFORE.test(text.slice(Math.max(0, start - 14), start))
}

/** Accepts a wrong day or month, because with a four-digit year it is still a mistyped date. */
function isYearForm(before: string, day: string, month: string): boolean {
  return !/[A-Za-z]\d?$/.test(before) || isDayAndMonth(day, month)
}

function isTwoDigitForm(day: string, month: string, year: string): boolean {
  if (isDayAndMonth(day, month)) return true
  // 70/03/12, but not a tablet's three strengths, 40/10/25.
  return Number(day) > 31 && month.startsWith('0') && isDayAndMonth(year, month)
}

/** Accepts day and month in either order. */
function isDayAndMonth(day: string, month: string): boolean {
  const [first, second] = [Number(day), Number(month)]
  return first >= 1 && second >= 1 && ((first <= 31 && second <= 12) || (first <= 12 && second <= 31))
}

/** Refuses the dilution 1/2000 and the result 7.2019. */
function isMonthAndYear(text: string, match: RegExpExecArray): boolean {
  const [whole, month = '', mark = ''] = match
  if (isFollowedByUnit(text, match.index + whole.length)) return false
  const before = text.slice(Math.max(0, match.index - 30), match.index)
  if (/(?:titre|titer|dilut\w*|adrenaline|epinephrine|ratio|\bana|\banca)[^.;]*$/i.test(before)) return false
  return mark.trim() === '/' || month.length === 2
}

function isCompactDate(digits: string): boolean {
  const figures = digits.slice(0, 8)
  const [first, second, last] = [figures.slice(0, 2), figures.slice(2, 4), figures.slice(4)]
  if (/^(?:19|20[0-4])/.test(last) && isDayAndMonth(first, second)) return true
  return (
    /^(?:19|20[0-4])/.test(figures) &&
    isDayAndMonth(figures.slice(6), figures.slice(4, 6)) &&
    Number(figures.slice(4, 6)) <= 12
  )
}

/** Words before doses and results. `unit` is not in the list, because it is also a ward: "Care Unit 14/11/24". */
const DOSED =
  'insulins?|lantus|novorapid|novo ?mix(?: ?\\d+)?|humalog(?: ?mix ?\\d+)?|humulin(?: ?[a-z]\\d?)?|levemir|tresiba|toujeo|actrapid|apidra|fiasp|abasaglar|insulatard|hypurin|semglee|lyumjev|trurapi|admelog|ryzodeg|glargine|detemir|degludec|aspart|lispro|insuman|' +
  'basal|bolus|mix ?\\d+|doses?|dosing|dosage|units|regimen|regime|schedule|taper(?:ing)?|reducing|sinemet|madopar|stalevo|levodopa|prednisolone|pred|steroids?|morphine|titrat(?:e|ed|ion)|apgars?|scores?|sutures?|cycles?|ratios?|fasting|hct|plus|dilutions?|mixtures?|steps?|levels?|tit(?:re|er)s?|troughs?|volumes|weights|counts|readings?|bms?|glucose|thresholds?|audiogram|peak flows?|power|reps?|sets?'
/** `on` and a comma are not in the list, because a date may follow them after any word ("HCT, 10/18/95"). */
const FILLER =
  'now|currently|at|of|is|was|are|dose|doses|units|regimen|regime|to|from|with|the|a|approx|about|usual|usually|still|takes|taking|using|bd|tds|qds|od|daily|and|were|been|around|s'
const DOSE_BEFORE = new RegExp(
  `(?:^|[^a-z])(?:${DOSED})(?:[ \\n:=()~\\-]{1,3}(?:${FILLER})(?![a-z])){0,4}[ \\n:=()~\\-]{0,3}$`,
  'i',
)
/** Matches words for one dose, which has a date and not three numbers: "last dose 12/3/25". */
const ONE_BEFORE =
  /(?<![a-z])(?:last|next|first|second|third|final|previous) (?:dose|cycle|level|titration)(?: (?:was|is|given|due))?[ \n:=(-]{0,3}$/i
/** Matches one run of numbers before another: "BMs 10-12-14 fasting, 8-9-10 post". */
const RUN_BEFORE = new RegExp(`\\d-\\d{1,2}-\\d{1,2} (?:${DOSED}), $`, 'i')
const SECTION_BEFORE =
  /(?<![a-z])(?:section|sections|version|ver|v|rev(?:ision)?|para(?:graph)?|part|chapter|guideline|guidance|recommendation|rec|rule|item|appendix|table|figure|fig|release|software|firmware|build|bnf|(?:ng|cg|ta|qs|ipg) ?\d*|(?:ph|sign) ?\d+|protocol|policy|sop|standard|criterion|pathway|step|outcome|question|\u00a7|see)(?:[ :#(.]{0,2})(?:\d+\.\d+(?:\.\d+)?(?:,| and| to|-)? ?)?$/i

function isAfterDoseWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start)
  return (DOSE_BEFORE.test(before) && !ONE_BEFORE.test(before)) || RUN_BEFORE.test(before)
}

const isAfterSectionWord = (text: string, start: number): boolean =>
  SECTION_BEFORE.test(text.slice(Math.max(0, start - 30), start))
