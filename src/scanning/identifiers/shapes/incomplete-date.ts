// Finds incomplete dates: "Monday 3rd", a day of an unnamed month ("7th inst", "seen on the 7th"), "seen on 12/03".
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, type Finding } from '../finding.ts'

const WEEKDAY =
  '(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday|nesdays)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|saturday|sunday|Sat|Sun)'
// Digits are rarer than letters, so each search starts at the digit and looks back for the word before it.
const WEEKDAY_BEFORE = `(?<=((?<![a-z-])${WEEKDAY}(?![a-z]),?\\.? (?:the )?))`
const WITH_ORDINAL = new RegExp(`${WEEKDAY_BEFORE}(\\d{1,2})(?:st|nd|rd|th)(?![a-z])`, 'gi')
const WITH_DIGITS = new RegExp(`${WEEKDAY_BEFORE}(\\d{1,2})/(\\d{1,2})(?![\\d/.])`, 'gi')
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
const NAMED_DAY_MONTH =
  /(?<=(?<![a-z])(lmp|edd|edc|e\.d\.d|dated?|doa|dod|dos|appt|appointment|seen on|attended on|admitted on|discharged on|reviewed on|bloods on|clinic on|taken on|d\.o\.a|booked for|due on|since|on)[ \n:.=,-]{1,3})(\d{1,2})([/.])(\d{1,2})(?![\d/.%+-]|[ \n]?\d)/gi

export function findIncompleteDates(text: string): Finding[] {
  const findings: Finding[] = []
  const add = (start: number, end: number): void => {
    findings.push({ shape: 'date', start, end, certainty: CERTAINTY.shaped })
  }
  for (const match of text.matchAll(WITH_ORDINAL)) {
    const [whole, before = '', day = ''] = match
    const end = match.index + whole.length
    if (Number(day) <= 31 && !/^ (?:dose|cycle|week|rib|toe|finger)/i.test(text.slice(end, end + 8)))
      add(match.index - before.length, end)
  }
  for (const match of text.matchAll(WITH_DIGITS)) {
    const [whole, before = '', day = '', month = ''] = match
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
  for (const match of text.matchAll(NAMED_DAY_MONTH)) {
    const [whole, word = '', day = '', mark = '', month = ''] = match
    const end = match.index + whole.length
    if (isDayMonth(word, day, mark, month) && !isFollowedByUnit(text, end)) add(match.index, end)
  }
  return findings
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

function isSimpleFraction(day: string, month: string): boolean {
  return ['1/2', '1/4'].includes(`${day}/${month}`)
}

/** Accepts "on 12/03": a padded number, or a denominator that is no duration. Refuses "on 6/52" and "since 3/7". */
function isDayMonth(word: string, day: string, mark: string, month: string): boolean {
  if (!isCalendarDay(day, month)) return false
  const isPadded = day.startsWith('0') || month.startsWith('0')
  if (mark === '.') return isPadded && /^(?:lmp|edd|edc|dat|do|appt|seen|adm|att|disch|rev)/i.test(word)
  if (isPadded) return true
  return /^(?:lmp|edd|edc|e\.d\.d|doa|dod|dos|d\.o\.a|dated?)/i.test(word) && !['7', '12'].includes(month)
}
