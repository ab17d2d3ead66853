// Record numbers without a label of their own: letters with six figures or more, any run of seven, card-like groups.
import { isCodeOrReference, isCountedThing } from '../context/clinical-codes.ts'
import { isFollowedByCount, isMoney } from '../context/units.ts'
import { CERTAINTY, type Finding } from '../finding.ts'

/** Any thing's number: "Ticket no. 12345", "IMC number 123456". Five figures at least. */
const NUMBERED =
  /(?<![A-Za-z])(?:no\.?|number|nr\.?|#|id) ?(?:is )?[:#=]? ?(\d{0,3}[A-Za-z]{0,3}[-/]?\d{5,12}[A-Za-z]?)(?![A-Za-z0-9]|[.,]\d)/gi
const LETTERED = /(?<![A-Za-z0-9])[A-Za-z]{1,3}-?\d{6,10}(?:[A-Za-z]|[-/]\d{1,3})?(?![A-Za-z0-9])/g
const LONG_RUN = /(?<![A-Za-z0-9])(?<!\d[.,])\d{7,}(?:-?[A-Za-z](?![A-Za-z0-9]))?(?!\d|[.,]\d)/g
const CARD_GROUPS = /(?<![A-Za-z0-9])(?<!\d[.,])\d{4}(?:[ -]\d{4}){2,3}(?:[ -]\d{1,3})?(?![A-Za-z0-9])/g
/** Words and multipliers set against a figure, and a trial registry's prefix. */
const NOT_A_PREFIX = /^(?:x|to|of|or|at|by|is|in|u|iu|nct)\d/i
const ROUND = /^[a-z]{1,3}\d0{5,}$/i

/** Each of them holds this; most letters do not. */
const FOUR_FIGURES = /\d{4}/

export function findUnlabelledRecordNumbers(text: string): Finding[] {
  const findings: Finding[] = []
  if (!FOUR_FIGURES.test(text)) return findings
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
  for (const match of text.matchAll(LETTERED)) {
    if (!NOT_A_PREFIX.test(match[0]) && !ROUND.test(match[0])) add(match.index, match[0])
  }
  for (const match of text.matchAll(LONG_RUN)) {
    const digits = match[0].replace(/\D+$/, '')
    const isAmount = isFollowedByCount(text, match.index + digits.length) || isMoney(text, match.index)
    if (!isAmount && !isCountedThing(text, match.index, digits)) add(match.index, match[0])
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
