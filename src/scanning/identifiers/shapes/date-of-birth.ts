// Finds dates of birth: the number after "DOB", "date of birth" or "born", also a year alone.
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, DIGITS, LABEL_MARK, LEADER, defineShape, type Finding } from '../finding.ts'

const LABEL =
  /(?<![a-z])(?:d ?[./-]? ?o ?[./-]? ?b(?![a-z])(?:\.(?!\.))?|date[ \n-]of[ \n-]birth|dates of birth|d\.? ?of ?b(?![a-z])\.?|birth[ -]?(?:date|day)|year[ \n]of[ \n]birth|y\.?o\.?b(?![a-z])|birth year|birth(?= ?:)|geboren|d[aá]ta breithe)(?: ?\(?d{1,2}[/. -]?m{1,3}[/. -]?y{2,4}\)?)?/gi
const GAP_MARK = `(?:${LEADER}|${LABEL_MARK}|[)\\]]|\\.\\n)`
const GAP = new RegExp(
  `(?:${GAP_MARK}{0,6}(?:is|was|on|in|the|of|as|per|from|recorded|given|stated|passport|card|form|year|approx|circa|c|about|value|um|uh|er|erm)(?![a-z])){0,3}${GAP_MARK}{0,8}`,
  'iy',
)
const VALUE = /\d(?:[ ./_-]{0,3}\d){0,7}(?:st|nd|rd|th)?(?![a-z0-9])/iy

/** Matches "born in Cork in 1962", "born on the 3rd". A weight or a gestation after "born" is not a date. */
const BORN =
  /(?<![a-z-])born(?![a-z-])[^.;\d]{0,40}?(?<![a-z\d])('?\d{2}(?![\d/+.-])|(?:18|19)\d\d|20[0-4]\d|\d{1,2}(?:st|nd|rd|th)|\d{6}|\d{8})(?![a-z\d]|[./]\d)/gi
/** Matches the words before "born" or after its figures that make them a time or a weight: "baby born 1950 - IUGR", "born 1930 - LSCS". */
const BABY_BEFORE = /(?<![a-z])(?:baby|infant|neonate|twins?(?: [12])?|boy|girl) (?:was )?$/i
const DELIVERY_AFTER =
  /^ ?- ?(?:(?:emergency|elective|normal|assisted|at|by|via) )?(?:(?:em|el)?lscs|c\/?s|caesar(?:ean|ian)?|svd|nvd|iugr|fgr|sga|lga|aga|pre-?term|term|apgars?|forceps|ventouse|breech|nicu|scbu|cord (?:clamped|blood|gas(?:es)?|ph)|delivery|vaginal (?:delivery|birth))(?![a-z])/i
const MORE_ORDINALS = '(?:(?: ?[-/] ?| (?:to|and|or) )\\d{1,2}(?:st|nd|rd|th))?[ -]'
const MONTH_OR_LATER = '(?:(?:the|this|last|next|that) month|jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)'
/** Matches what follows an ordinal that is no day of a month: "38th week", "2nd and 9th centile", "3rd degree tear", "5th day of life". */
const COUNTED_AFTER = new RegExp(
  `^${MORE_ORDINALS}(?:(?:(?:full|gestational) )?(?:week|wk)s?(?! \\d)|(?:(?:growth|customised|birth) )?(?:per)?centiles?|deg(?:ree)?|attempt|pull|` +
    `trimester|(?:(?:ivf|icsi|fet) )?(?:cycle|round)|day(?! (?:\\d|of ${MONTH_OR_LATER})))(?![a-z])`,
  'i',
)
/** Matches what follows the place in a family: "2nd twin", "3rd of 4 children". After "on the 3rd" it begins another clause: "baby well". */
const SIBLING_AFTER = new RegExp(
  `^${MORE_ORDINALS}(?:(?:(?:live|surviving|ivf) )?(?:twin|triplet|child|baby|sibling|son|daughter|boy|girl|pregnancy|ivf|miscarriage|loss|induction|dose|` +
    'stage|generation)|(?:in|of) (?:\\d{1,2}(?!\\d|[/.]\\d)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twins|triplets|' +
    '(?:the|a|his|her|their) (?:family|sibship|siblings|twins|children|pair)))(?![a-z])',
  'i',
)
const ABBREVIATED = /(?:(?<=\()[Bb]\.? ?|(?<![A-Za-z.])b\. ?)((?:18|19|20)\d\d)(?!\d)/g
/** Needs an age or a person's name before it: hepatitis b and plan b have years too. */
const BARE_B = /(?<=[A-Za-z\d.],? )b ?(?:18|19|20)\d\d(?!\d)/g
const AGE_BEFORE =
  /(?<![a-z])(?:aged? \d{1,3}|\d{1,3} ?\/?(?:[mf]|y\.?o\.?|y\/o|yrs?|(?:years?|yrs?)[ -]?old)(?: (?:man|woman|male|female|lady|gentleman|boy|girl|m|f))?|\d{1,3}[ -]year[ -]old(?: [a-z]{1,12})?)$/i
const NAME_BEFORE =
  /(?<![A-Za-z])(?:(?:Mr|Mrs|Ms|Miss|Master|Dr|Fr|Sr)\.? [A-Z][A-Za-z'-]+|[A-Z][A-Za-z'-]+ [A-Z][A-Za-z'-]+)$/
const CLINICAL_B =
  /(?:hepatitis|hep|vitamin|vit|type|factor|group|influenza|flu|strep(?:tococcus)?|haemophilus|influenzae|los angeles|salter[- ]harris|child[- ]pugh|plan|part|class|category|grade|stage|weber|panel|arm|men|cell|immunoglobulin|protein|meningitis|mening|meningococcal|coxsackie|ward|unit)$/i
const BORN_BEFORE = /(?<![a-z-])born(?![a-z-])[^.;\d]{0,40}$/i
/** Matches a year alone before a label: "(1962) DOB", "1962 (DOB)", "1962 DOB". In "seen 2021 DOB: none" it belongs to what is before. */
const YEAR_BEFORE_LABEL =
  /(?<![\d/.-])(?:(?<=\()(?:18|19|20)\d\d\)[ \n]?|(?:18|19|20)\d\d[ \n]?\(|(?<!(?:in|since|from|of|until|to|seen) )(?:18|19|20)\d\d (?=[a-z. ]{3,13}(?:$|[),;.\n]| and(?![a-z]))))(?:d\.?o\.?b|date of birth)(?![a-z])\.?(?![ :=)]{0,3}\d)/gi
const LABEL_AFTER =
  /^[ \n]?[([,-]? ?(?:d\.?o\.?b|date of birth|is (?:his|her|their) (?:birthday|date of birth))(?![a-z])\.?(?![ :=]{0,3}\d)/i

export const dateOfBirth = defineShape(
  { id: 'date_of_birth', group: 'person', name: 'date of birth', rank: 2 },
  { find: findDatesOfBirth, letters: 1, ...DIGITS },
)

/** Finds dates of birth, including each of `dates` that has a label of birth before or after it. */
function findDatesOfBirth(text: string, dates: readonly Finding<'date'>[]): Finding<'date_of_birth'>[] {
  const findings: Finding<'date_of_birth'>[] = []
  const add = (start: number, end: number): void => {
    findings.push({ shape: 'date_of_birth', start, end, certainty: CERTAINTY.labelled })
  }
  const dateAt = new Map<number, Finding<'date'>>()
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
    if (isBirthFigure(text, match[0], value, end) && !isBirthOfBaby(text, match.index, value, end))
      add(end - value.length, end)
  }
  for (const match of text.matchAll(ABBREVIATED)) {
    const end = match.index + match[0].length
    add(end - 4, end)
  }
  for (const { 0: whole, index } of text.matchAll(BARE_B)) {
    const before = text.slice(Math.max(0, index - 48), index).replace(/,? $/, '')
    const isPerson = AGE_BEFORE.test(before) || (NAME_BEFORE.test(before) && !CLINICAL_B.test(before))
    if (isPerson) add(index + whole.length - 4, index + whole.length)
  }
  for (const { index } of text.matchAll(YEAR_BEFORE_LABEL)) add(index, index + 4)
  for (const date of dateAt.values()) {
    const isBorn = BORN_BEFORE.test(text.slice(Math.max(0, date.start - 48), date.start))
    if (isBorn || LABEL_AFTER.test(text.slice(date.end, date.end + 32))) add(date.start, date.end)
  }
  return findings
}

/** Returns true for a time or a weight with a dash after it: "baby born 1950 - IUGR". "born in" has a year. */
function isBirthOfBaby(text: string, born: number, value: string, end: number): boolean {
  if (value.length !== 4 || !/^ ?-/.test(text.slice(end, end + 2)) || /^born in \d/i.test(text.slice(born, born + 9)))
    return false
  return BABY_BEFORE.test(text.slice(Math.max(0, born - 16), born)) || DELIVERY_AFTER.test(text.slice(end, end + 32))
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

/** Accepts two digits only with an apostrophe or "in": "born '70". "born at 38 weeks" and "born 3250 g" are no dates. */
function isBirthFigure(text: string, whole: string, value: string, end: number): boolean {
  if (isFollowedByUnit(text, end)) return false
  if (/[a-z]$/i.test(value) && isPlaceInOrder(whole, text.slice(end, end + 40))) return false
  const after = text.slice(end, end + 7)
  // After a year a dash may part two clauses: "born in 1954 - please". A range of years, a time and a weight are no dates of birth.
  const isYear = value.length === 4 && !/(?:at|weigh(?:ed|ing|s)|weight|wt)[ :]{1,2}\d{4}$/i.test(whole)
  if (isYear ? /^[-+/]\d|^ ?[-+/] ?\d{4}/.test(after) : /^ ?[-+/]/.test(after)) return false
  if (/^'?\d{2}$/.test(value)) return value.startsWith("'") || /^born in \d\d$/i.test(whole)
  return true
}

/** Returns true for an ordinal of a week, a centile, a child and the like: "born 3rd of 4". */
const isPlaceInOrder = (whole: string, after: string): boolean =>
  COUNTED_AFTER.test(after) || (SIBLING_AFTER.test(after) && !/(?<![a-z])on (?:the )?\d{1,2}[a-z]{2}$/i.test(whole))
