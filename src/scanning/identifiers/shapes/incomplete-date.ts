// Finds incomplete dates: "Monday 3rd", a day of an unnamed month ("7th inst", "seen on the 7th"), "admitted 14/3".
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, DIGITS, type Finder, type Finding } from '../finding.ts'

const WEEKDAY =
  '(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday|nesdays)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|saturday|sunday|Sat|Sun)'
// Digits are rarer than letters, so each search begins with them and looks back for the word before it.
const WEEKDAY_BEFORE = `((?<![a-z-])${WEEKDAY}(?![a-z]),?\\.? (?:the )?)`
const WITH_ORDINAL = new RegExp(`(\\d{1,2})(?:st|nd|rd|th)(?![a-z])(?<=${WEEKDAY_BEFORE}\\1[a-z]{2})`, 'gi')
const WITH_DIGITS = new RegExp(`(\\d{1,2})/(\\d{1,2})(?![\\d/]|\\.\\d)(?<=${WEEKDAY_BEFORE}\\1/\\2)`, 'gi')
const ORDINAL_OF_MONTH =
  /(?<![a-z\d])\d{1,2}(?:st|nd|rd|th) (?:(inst(?:ant)?|ult(?:imo)?|prox(?:imo)?)|(?:day )?of (?:this|last|next|the|that) month)(?![a-z])/gi
/** Matches what follows "7th inst" in "7th inst were normal". In "2nd instant coffee" and "2nd prox phalanx" a noun follows. */
const CLAUSE_AFTER =
  /^\.?(?:[,;:)\]/"'-]|\n|$| (?:was|were|is|are|be|with|without|at|and|or|he|she|they|it|we|i|you|for|by|when|where|after|before|to|in|on|from|but|because|which|who|has|had|have|as|the|a|his|her|their|our|your|my|this|that|re|regarding|due|until|till|shows?|showed|while|following|via|per|post|pre|no|not|then|please|seen|x|[(\d])(?![a-z])| (?=[(\d]))/i
const NEW_SENTENCE = /^\. (?!(?:[DP]?IP|MCP|MTP))[A-Z]/
const DAY_BEFORE = /(?<![a-z])(?:on|dated|since|until|till)(?: the)? $/i
const THING_AFTER =
  /^\.? (?:coffees?|teas?|noodles?|soups?|porridge|food|milk|formula|mash|relief|release|response|access|results?|reading|messag|cold|heat|ice|hot|onset|pain|death|cure|gratif|phalan|[dp]?ip|mcp|mtp|joint|segment|row|tib|fem|hum|uln|rad|meta|toe|finger|end|third|part|scan|sound|uss)/i
const DAY_NAMED =
  /(?<![a-z\d])\d{1,2}(?:st|nd|rd|th)(?=[.;,)]|\n|$| (?:with|at|and was|by|after|following|when|because|where|via|due)(?![a-z]))(?<=(?<![a-z])(?:seen|attended|reviewed|admitted|discharged|presented|collapsed|appointment|appt|procedure|surgery|operation|clinic|bloods|scan|x-?ray|due|booked|delivered|died|rang|started|stopped)[ \n](?:(?:is|was|again|here|today|back|in clinic|in ed|up)[ \n])?(?:on|since|for|from)[ \n]the[ \n]\d{1,2}[a-z]{2})/gi
/** Begins with a digit, because digits are rarer than letters. The words before are looked for only then. */
const DAY_MONTH = /(\d{1,2})(\/|\.(?=0\d|(?<=0\d\.)))(0?[1-9]|1[0-2])(?![\d/%+]|[.:-]\d(?!\d?[/.]\d)|[ \n]?[./]\d)/g
/** Month and year, or month and day as in the United States: "in 5/92", "on 9/17". It begins with a digit too. */
const MONTH_BEFORE_OTHER =
  /(0?[1-9]|1[0-2])\/(0\d|1[13-9]|2\d|3[01]|5[3-9]|[6-9]\d)(?![\dA-Za-z/%+]|[.:-]\d|[ \n]?[./]\d)/g
const NEXT_DAY = /(?: ?[-,&] ?|,? (?:to|and|until|till) )((\d{1,2})\/(\d{1,2}))(?![\d/%+]|[.:]\d)/y
const NOT_INSIDE = /(?<![\dA-Za-z/])(?<!\d[.,:+-])/y
/** Returns a pattern that tests backwards from a position for words and the marks after them. */
const rightAfter = (words: string): RegExp => new RegExp(`(?<=(?<![a-z])(?:${words})[ \\n:.=,(-]{1,3})`, 'iy')

const AFTER_DATED = rightAfter('dated|edd|edc|e\\.d\\.d|doa|dod|dos|d\\.o\\.a')
const AFTER_PERIOD = rightAfter('lmp|date')
/** Words for an event on a day. A part of the body or a place may be before the date: "MRI brain 14/3", "seen in clinic on 14/3". */
const EVENT =
  '(?:(?:re-?)?admitted|admission|(?:re)?presented|presentation|discharged?|d/c|reviewed|review|seen|attended|attendance|clinic|opd|appointment|appt|app|visit|bloods?|fbc|u&e|mri|ct|x-?ray|xr|cxr|scan|scanned|echo|ecg|eeg|dexa|uss?|u/s|' +
  'ultrasound|mammogram|smear|biopsy|colonoscopy|ogd|endoscopy|started|commenced|stopped|finished|fell|fall|collapsed?|operated|operation|surgery|procedure|theatre|delivered|delivery|booked|booking|scheduled|listed|due|referred|referral|letter|onset|began|symptoms|' +
  'taken|done|performed|given|removed|inserted|vaccinated|rang|phoned|died|married|transferred|swab|mc&s|msu|repeat(?:ed)?|cancelled|dna)'
const DETAIL =
  '(?:is|was|were|back|again|here|home|today|first|last|next|initially|up|clinic|ed|opd|a&e|theatre|surgery|hospital|ward|us|gp|me|brain|head|chest|thorax|abdo(?:men)?|pelvis|tap|kub|liver|renal|spine|' +
  'hips?|knees?|shoulder|ankle|wrist|hand|foot|neck|results?|report|review|appointment|appt|visit|letter|date)'
const AFTER_EVENT = `(?: (?:(?:in|to|with|by) )?${DETAIL}){0,2}`
/** The letters right before a date in any of these: a cheap first test. */
const LAST_LETTERS = new RegExp(
  `^(?:${EVENT}|${DETAIL}|on|since|until|till|for|from|dated?|edd|edc|doa|dod|dos|lmp|ray|[acdes])$`,
  'i',
)
const AFTER_LINK = rightAfter(`${EVENT}${AFTER_EVENT}[ \\n](?:on|dated|since|until|till)`)
const AFTER_NAMED = rightAfter(`${EVENT}${AFTER_EVENT}(?:[ \\n]from)?`)
/** Words for a plan for a day. "Seen for 3/4 weeks" has a duration. */
const AFTER_PLAN = rightAfter(
  '(?:booked|booking|scheduled|listed|due|appointment|appt|app|clinic|scan|mri|ct|echo|surgery|theatre|bloods|review) for',
)
/** One of these is right before every fraction that may also be a duration or a score. */
const AFTER_SHORT_WORD = rightAfter('on|since|until|till|for|dated?|edd|edc|e\\.d\\.d|doa|dod|dos|d\\.o\\.a|lmp')
const AFTER_SINCE = rightAfter('since|until|till')
const AFTER_ON = rightAfter('on|from')
/** These are said of the past, so no span follows without a word such as "ago". */
const AFTER_PAST = rightAfter('seen|admitted|discharged|attended|presented|collapsed|fell|operated|delivered|reviewed')
const AFTER_STAY = rightAfter('seen|admitted|discharged')
/** Two pressures or two strengths may be before such words too: "NIV started on 20/5", "started on 1/2 tablet". */
const AFTER_DOSED = rightAfter('(?:started|commenced|stopped|given|taken|finished)(?: on)?')
const PRESSURE_BEFORE = /(?<![a-z])(?:niv|bi-?pap|cpap|ipap|epap|pressures?|settings?)(?![a-z])[^.;\n]{0,40}$/i
const PRESSURE_MAX = 48
const AFTER_MONTH_WORD = rightAfter(
  'in|since|until|till|through|by|from|before|after|(?:end|beginning|start|middle) of',
)
const AFTER_IN = rightAfter('in|since|until|till|on')
const AFTER_BARE_ON = rightAfter('on')
/** Matches words after which "on" has a dose or a setting: "is now on 8/16". */
const ON_DOSE = rightAfter('(?:is|are|now|currently|remain(?:s|ed)?|still|put|maintained|stable|settled|kept|back) on')
/** Matches what is counted out of the second number: "in 5/67 patients", "in 7/95 (7%)". */
const PROPORTION_AFTER =
  /^ ?(?:\(\d|(?:of )?(?:the )?(?:patients|cases|subjects|people|women|men|children|participants|cells|(?:lymph )?nodes|samples|specimens|studies|trials|biops|cores|fields|sections|joints|eyes|ears|hospitals|practices|cent(?:re|er)s))/i
/** Matches the most that scores, pressures and acuities have. */
const SCORE_MAXIMA = new Set([15, 18, 20, 21, 24, 25, 27, 30])
/** Matches what follows a duration or a score. */
const SPAN_AFTER =
  /^ ?(?:ago|old|hx|history|h\/o|course|supply|of|later|post|back|duration|times?|pain|power|dose|(?:session|appointment|visit|class|clas|dose|cycle|occasion|test|part|joint|limb|finger|toe|sample|hospital|scale|attempt)e?s|wks?|mths?|yrs?|day|week|month|year|hour)(?![a-z])/i

export const incompleteDates: Finder<'date'> = { find: findIncompleteDates, letters: 2, ...DIGITS }

function findIncompleteDates(text: string): Finding<'date'>[] {
  const findings: Finding<'date'>[] = []
  const add = (start: number, end: number): void => {
    findings.push({ shape: 'date', start, end, certainty: CERTAINTY.shaped })
  }
  for (const match of text.matchAll(WITH_ORDINAL)) {
    const [whole, day = '', before = ''] = match
    const end = match.index + whole.length
    if (Number(day) <= 31 && !/^ (?:dose|cycle|week|rib|toe|finger)/i.test(text.slice(end, end + 8)))
      add(match.index - before.length, end)
  }
  for (const match of text.matchAll(WITH_DIGITS)) {
    const [whole, day = '', month = '', before = ''] = match
    const end = match.index + whole.length
    // "sat 9/10" is more likely a saturation; "last Tuesday, 4/7 of cough" has a duration after the comma.
    const isOther = before.startsWith('sat ') || (/[.,]/.test(before) && ['7', '12', '52'].includes(month))
    if (isOther || !isCalendarDay(day, month) || isSimpleFraction(day, month)) continue
    if (!isFollowedByUnit(text, end)) add(match.index - before.length, end)
  }
  for (const { 0: whole, 1: month, index } of text.matchAll(ORDINAL_OF_MONTH)) {
    if (month === undefined || isMonthAbbreviation(text, index, index + whole.length)) add(index, index + whole.length)
  }
  for (const match of text.matchAll(DAY_NAMED)) {
    add(match.index, match.index + match[0].length)
  }
  for (const { 0: whole, 1: day = '', 2: mark = '', 3: month = '', index } of text.matchAll(DAY_MONTH)) {
    const end = index + whole.length
    if (!isCalendarDay(day, month) || !isDayMonth({ text, index, end }, day, mark, month)) continue
    if (isFollowedByUnit(text, end)) continue
    add(index, end)
    addNext(text, end, add)
  }
  for (const { 0: whole, 1: month = '', 2: other = '', index } of text.matchAll(MONTH_BEFORE_OTHER)) {
    const end = index + whole.length
    if (isMonthFirst({ text, index, end }, month, other) && !isFollowedByUnit(text, end)) add(index, end)
  }
  return findings
}

/** Accepts "in 5/92", "since 12/07" and "on 9/17". Refuses the acuity "from 6/60", the tablet "on 10/80" and the score "on 8/15". */
function isMonthFirst(place: Place, month: string, other: string): boolean {
  const { text, index, end } = place
  if (!isRight(NOT_INSIDE, place)) return false
  const second = Number(other)
  const after = text.slice(end, end + 24)
  const isOn = isRight(AFTER_BARE_ON, place)
  if (second > 52 || other.startsWith('0')) {
    if (second === 60 || PROPORTION_AFTER.test(after)) return false
    return isOn ? second !== 80 : isRight(AFTER_MONTH_WORD, place)
  }
  if (second < 13 || SPAN_AFTER.test(after) || PROPORTION_AFTER.test(after)) return false
  if (PRESSURE_BEFORE.test(text.slice(Math.max(0, index - PRESSURE_MAX), index))) return false
  if (isRight(AFTER_DATED, place) || (isRight(AFTER_LINK, place) && !isRight(AFTER_DOSED, place))) return true
  if (month.startsWith('0') && isRight(AFTER_IN, place)) return true
  if (SCORE_MAXIMA.has(second)) return false
  return isOn && !isRight(ON_DOSE, place) && !isRight(AFTER_DOSED, place)
}

/** Adds the days that follow a day without a word between: "12/03-14/03", "14/3, 22/3 and 30/3". */
function addNext(text: string, from: number, add: (start: number, end: number) => void): void {
  NEXT_DAY.lastIndex = from
  for (let next = NEXT_DAY.exec(text); next !== null; next = NEXT_DAY.exec(text)) {
    const [whole, written = '', day = '', month = ''] = next
    const end = next.index + whole.length
    const isPadded = day.startsWith('0') || month.startsWith('0')
    const isSpan = ['7', '12'].includes(month) || Number(day) <= Number(month)
    if (!isCalendarDay(day, month) || (isSpan && !isPadded) || isFollowedByUnit(text, end)) return
    add(end - written.length, end)
  }
}

/** Returns true if "inst", "ult" or "prox" means a month: this month in "7th inst", the last month in "5th ult". */
function isMonthAbbreviation(text: string, start: number, end: number): boolean {
  const after = text.slice(end, end + 16)
  if (CLAUSE_AFTER.test(after) || NEW_SENTENCE.test(after)) return true
  if (THING_AFTER.test(after)) return false
  return /^ [A-Z]/.test(after) || DAY_BEFORE.test(text.slice(Math.max(0, start - 12), start))
}

function isCalendarDay(day: string, month: string): boolean {
  const [first, second] = [Number(day), Number(month)]
  return first >= 1 && second >= 1 && first <= 31 && second <= 12
}

const isSimpleFraction = (day: string, month: string): boolean => ['1/2', '1/4'].includes(`${day}/${month}`)

type Place = { readonly text: string; readonly index: number; readonly end: number }

function isRight(after: RegExp, { text, index }: Place): boolean {
  after.lastIndex = index
  return after.test(text)
}

/** Returns the letters before a place and the marks between. */
function lettersBefore({ text, index }: Place): string {
  let end = index
  while (index - end < 3 && ' \n:.=,(-'.includes(text.charAt(end - 1))) end -= 1
  let start = end
  while (end - start < LONGEST_LETTERS && isLetter(text.charCodeAt(start - 1))) start -= 1
  return text.slice(start, end)
}

const LONGEST_LETTERS = 16

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** The meanings that the words before a fraction can give it, the surest first. */
const LEADS = [
  ['dated', AFTER_DATED],
  ['period', AFTER_PERIOD],
  ['on', AFTER_LINK],
  ['on', AFTER_PLAN],
  ['event', AFTER_NAMED],
  ['since', AFTER_SINCE],
  ['bare on', AFTER_ON],
] as const
type Lead = (typeof LEADS)[number][0]

/** Accepts "on 12/03", "admitted 14/3" and "seen on 3/9". Refuses "on 6/52", "since 3/7", "reviewed 7/10" and "on 5/5". */
function isDayMonth(place: Place, day: string, mark: string, month: string): boolean {
  const isPadded = day.startsWith('0') || month.startsWith('0')
  const [first, second] = [Number(day), Number(month)]
  if (!LAST_LETTERS.test(lettersBefore(place))) return false
  const mayBeOther = first <= second || (second === 7 && first <= 14)
  if (!isPadded && mayBeOther && ![8, 9, 11].includes(second) && !isRight(AFTER_SHORT_WORD, place)) return false
  if (!isRight(NOT_INSIDE, place)) return false
  const lead = LEADS.find(([, after]) => isRight(after, place))?.[0]
  if (lead === undefined) return false
  if (mark === '.') return ['dated', 'period'].includes(lead) || (lead === 'on' && !isRight(AFTER_DOSED, place))
  if (isPadded) return true
  const { text, index, end } = place
  const isSpan = SPAN_AFTER.test(text.slice(end, end + 16))
  if (lead === 'dated') return !isSpan
  if (PRESSURE_BEFORE.test(text.slice(Math.max(0, index - PRESSURE_MAX), index))) return false
  if (second === 7 || second === 12) return isTooLong(lead, place, first, second) && !isSpan
  if (first > second) return lead !== 'bare on' || first > 12
  return isScoreless(lead, place, day, month) && !isSpan
}

/** Returns true for a number that nobody counts in days or months: "seen 25/12", "admitted on 23/7". */
function isTooLong(lead: Lead, place: Place, count: number, unit: number): boolean {
  const isSure = lead === 'on' || lead === 'period'
  if (unit === 7) return count > 14 && (isSure || (lead === 'event' && ![20, 21, 28, 30].includes(count)))
  return count > (isSure || (lead === 'event' && isRight(AFTER_PAST, place)) ? 12 : 24)
}

/** Returns true if a day that is no larger than its month can be no score: after "seen on", or over eight or eleven. */
function isScoreless(lead: Lead, place: Place, day: string, month: string): boolean {
  if (lead === 'period') return true
  if (lead === 'since') return !isSimpleFraction(day, month)
  if (lead === 'on' && !isRight(AFTER_DOSED, place)) return true
  if (lead === 'bare on') return false
  return month === '8' || month === '11' || (month === '9' && day !== '6' && isRight(AFTER_STAY, place))
}
