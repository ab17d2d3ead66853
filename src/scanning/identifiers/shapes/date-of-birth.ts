// Finds dates of birth: the number after "DOB", "date of birth" or "born", also a year alone.
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, type Finding } from '../finding.ts'

const LABEL =
  /(?<![a-z])(?:d ?[./-]? ?o ?[./-]? ?b(?![a-z])\.?|date[ \n-]of[ \n-]birth|dates of birth|d\.? ?of ?b(?![a-z])\.?|birth[ -]?(?:date|day)|year[ \n]of[ \n]birth|y\.?o\.?b(?![a-z])|birth year|birth(?= ?:)|geboren|d[aá]ta breithe)(?: ?\(?d{1,2}[/. -]?m{1,3}[/. -]?y{2,4}\)?)?/gi
const GAP =
  /(?:[ \n.:;=,#*_|>~()[\]"'-]{0,6}(?:is|was|on|in|the|of|as|per|from|recorded|given|stated|passport|card|form|year|approx|circa|c|about)(?![a-z])){0,3}[ \n.:;/=,#*_|>~()[\]"'-]{0,8}/iy
const VALUE = /\d(?:[ ./_-]{0,3}\d){0,7}(?:st|nd|rd|th)?(?![a-z0-9])/iy

/** Matches "born in Cork in 1962", "born on the 3rd". A weight or a gestation after "born" is not a date. */
const BORN =
  /(?<![a-z-])born(?![a-z-])[^.;\d]{0,40}?(?<![a-z\d])('?\d{2}(?![\d/+.-])|(?:18|19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|\d{6}|\d{8})(?![a-z\d]|[./]\d)/gi
const ABBREVIATED = /(?:(?<=\()[Bb]\.? ?|(?<![A-Za-z.])b\. ?)((?:18|19|20)\d\d)(?!\d)/g
const BORN_BEFORE = /(?<![a-z-])born(?![a-z-])[^.;\d]{0,40}$/i
const LABEL_AFTER =
  /^[ \n]?[([,-]? ?(?:d\.?o\.?b|date of birth|is (?:his|her|their) (?:birthday|date of birth))(?![a-z])\.?(?![ :=]{0,3}\d)/i

/** Finds dates of birth, including each of `dates` that has a label of birth before or after it. */
export function findDatesOfBirth(text: string, dates: readonly Finding[]): Finding[] {
  const findings: Finding[] = []
  const add = (start: number, end: number): void => {
    findings.push({ shape: 'date_of_birth', start, end, certainty: CERTAINTY.labelled })
  }
  const dateAt = new Map<number, Finding>()
  for (const date of dates) {
    if (date.end > (dateAt.get(date.start)?.end ?? 0)) dateAt.set(date.start, date)
  }
  for (const match of text.matchAll(LABEL)) {
    const valueStart = endOf(GAP, text, match.index + match[0].length)
    const valueEnd = endOf(VALUE, text, valueStart)
    const date = dateAt.get(valueStart)
    if (date !== undefined) add(date.start, date.end)
    else if (valueEnd > valueStart) add(valueStart, valueEnd)
  }
  for (const match of text.matchAll(BORN)) {
    const value = match[1] ?? ''
    const end = match.index + match[0].length
    if (isBirthFigure(text, match[0], value, end)) add(end - value.length, end)
  }
  for (const match of text.matchAll(ABBREVIATED)) {
    const end = match.index + match[0].length
    add(end - 4, end)
  }
  for (const date of dateAt.values()) {
    const isBorn = BORN_BEFORE.test(text.slice(Math.max(0, date.start - 48), date.start))
    if (isBorn || LABEL_AFTER.test(text.slice(date.end, date.end + 32))) add(date.start, date.end)
  }
  return findings
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

/** Accepts two digits only with an apostrophe or "in": "born '70". "born at 38 weeks" and "born 3250 g" are no dates. */
function isBirthFigure(text: string, whole: string, value: string, end: number): boolean {
  if (isFollowedByUnit(text, end) || /^ ?[-+/]/.test(text.slice(end, end + 2))) return false
  if (/^'?\d{2}$/.test(value)) return value.startsWith("'") || /^born in \d\d$/i.test(whole)
  return true
}
