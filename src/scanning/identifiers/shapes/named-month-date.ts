// Finds dates with the month in letters: 12 Jan 1970, 3rd of March, March 3rd 2021, Mar-21, 1970 March 12.
import { isFollowedByUnit } from '../context/units.ts'
import { CERTAINTY, DIGITS, scan, type Finder, type Finding } from '../finding.ts'

/** Full names, usual abbreviations and the commonest typing errors. */
const MONTH =
  '(?:jan(?:uary|uray|urary|aury)?|feb(?:ruary|uary|urary|r)?|mar(?:ch)?|apr(?:il|l)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember|embre|mber)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const ORDINAL = '(?:st|nd|rd|th)'
const YEAR = "(?:(?:18|19|20)\\d\\d|'?\\d{2})"
/** A full stop before a line end separates two sentences. */
const GAP = "(?:[ ,./_'-]{0,3}|(?<![.]),?\\n)"

/** The months in Irish, with their accents folded: "12 Márta 1954", "3ú de Mhárta", "Deireadh Fómhair 2021". */
const IRISH_MONTHS = [
  "(?:d')?eanair",
  "(?:d'|bh)?fh?eabhra",
  'mh?arta',
  "(?:d')?aibre[ai]i?n",
  'm?bh?ealtaine',
  'mh?eithi?(?:ea)?mh',
  "(?:d')?iuil",
  'lu(?:gh)?nasa',
  'mh?(?:ea|ei)n fh?omhair',
  'dh?eireadh fh?omhair',
  't?sh?amh(?:ain|na)',
  'nolla(?:ig|g)',
]
const IRISH_MONTH = `(?:${IRISH_MONTHS.join('|')})`
/** Pattern source for a word of a month's name. */
export const MONTH_WORD = `(?:${MONTH}|${IRISH_MONTHS.flatMap((name) => name.split(' ')).join('|')})`
const DAY_RANGE = `(?:\\d{1,2}${ORDINAL}?(?: ?[-/&,] ?| (?:to|and|or) ))?`
const DAY_FIRST = new RegExp(
  `(?<![A-Za-z\\d])(?<!\\d[./:-])(${DAY_RANGE})(\\d{1,2})(${ORDINAL}?|u|adh)(${GAP}(?:(?:day )?of |(?:la )?de (?:mhi )?(?:na )?)?)(${MONTH}|${IRISH_MONTH})(?![a-z])(\\.?${GAP}(?:of |in )?)(${YEAR}(?![\\d%]|[./:]\\d| ?[ap]\\.?m(?![a-z])))?`,
  'gi',
)
const MONTH_FIRST = new RegExp(
  `(?<![a-z])(${MONTH})(?![a-z])(\\.?${GAP})(the )?(\\d{1,2})(${ORDINAL})?(?![\\da-z])` +
    // A year after a mark shows that it is no fraction, time or decimal.
    `( ?[./_-] ?(?:18|19|20)\\d\\d(?!\\d)|[./]\\d\\d(?![\\d./])|(?!(?:\\.|:| ?/| ?%)\\d)(?: ?- ?\\d{1,2}${ORDINAL}?)?(?: ?,? ?(?:of )?(?:18|19|20)\\d\\d(?!\\d))?)`,
  'gi',
)
const MONTH_YEAR = new RegExp(
  `(?<![a-z])(${MONTH})(?![a-z])\\.?(?:[ ,./_-]{0,3}|(?<![.]),?\\n)(?:of )?((?:18|19|20)\\d\\d|' ?\\d{2}|(?<=-)\\d{2})(?![\\da-z]|[./:]\\d)`,
  'gi',
)
const YEAR_FIRST = new RegExp(
  `(?<![\\da-z])(?<!\\d[ -])(?:18|19|20)\\d\\d[ ,./_-]{0,3}(${MONTH})(?![a-z])(?:${GAP}\\d{1,2}(?![\\d]|[./]\\d))?`,
  'gi',
)
/** Searched from the year, because digits are rarer than letters. */
const IRISH_MONTH_YEAR = new RegExp(
  `(?<=((?<![a-z])${IRISH_MONTH},?[ /-]{1,3}))(?:18|19|20)\\d\\d(?![\\d]|[./:]\\d)`,
  'gi',
)
const IRISH = new RegExp(`^${IRISH_MONTH}$`, 'i')
/** First names too: "bed 12 Marta" is no date, "seen 12 Marta" is one. */
const IRISH_NAME = /^(?:marta|nollaig)$/i
/** Matches "1st of the 3rd 1954", as dictated. */
const ORDINAL_MONTH =
  /(?<![A-Za-z\d])(\d{1,2})(?:st|nd|rd|th) (?:day )?of the (\d{1,2})(?:st|nd|rd|th)(?:,? (?:of )?|[ ,/-]{1,2})(?:(?:18|19|20)\d\d(?!\d)|'?\d\d(?=[.,;)\n]|$))/gi

export const namedMonthDates: Finder<'date'> = { find: findNamedMonthDates, letters: 2, ...DIGITS }

function findNamedMonthDates(text: string): Finding<'date'>[] {
  const findings: Finding<'date'>[] = []
  const add = (start: number, end: number): void => {
    findings.push({ shape: 'date', start, end, certainty: CERTAINTY.distinctive })
  }
  scan(DAY_FIRST, text, (match) => {
    const [whole, range = '', day = '', ordinal = '', before = '', month = '', gap = '', year = ''] = match
    const end = match.index + (year === '' ? whole.length - gap.length : whole.length)
    if (!isDay(day) || isFraction(text, match)) return undefined
    const isIrish = IRISH.test(month)
    // "12u march" is a dose. Marta and Nollaig are first names too.
    const isBareName = year === '' && ordinal === '' && IRISH_NAME.test(month)
    if (isIrish ? isBareName && !isAfterDayWord(text, match.index) : /^(?:u|adh)$/i.test(ordinal)) return undefined
    const isDated = PERSON_OR_NOUN_AFTER.test(text.slice(end, end + 12)) && isAfterDayWord(text, match.index)
    if (year === '' && !isDated && isOrdinaryWord(text, month, ordinal, end)) return undefined
    if (year === '' && text.startsWith("'s", end)) return undefined
    if (year === '' && ordinal === '' && isSentenceAfterScore(text, match.index, before, month, end)) return undefined
    add(range === '' || isDay(/\d+/.exec(range)?.[0] ?? '') ? match.index : match.index + range.length, end)
    return match.index + whole.length
  })
  for (const match of text.matchAll(MONTH_FIRST)) {
    const [whole, month = '', gap = '', article, day = '', ordinal, rest = ''] = match
    const end = match.index + whole.length
    const isShortYear = /^[./]\d\d$/.test(rest)
    if (!isDay(day) || (isShortYear && gap !== rest.charAt(0))) continue
    const isSure = ordinal !== undefined || article !== undefined || isShortYear || /\d{4}$/.test(rest)
    if (gap === '' && rest === '' && isGene(text, match.index, month, day, end)) continue
    if (isSure ? isSureDay(text, match, end) : isBareDay(text, match.index, month, end)) add(match.index, end)
  }
  for (const match of text.matchAll(MONTH_YEAR)) {
    const end = match.index + match[0].length
    if (!isFollowedByUnit(text, end)) add(match.index, end)
  }
  for (const { 0: year, 1: before = '', index } of text.matchAll(IRISH_MONTH_YEAR))
    add(index - before.length, index + year.length)
  for (const { 0: whole, 1: day = '', 2: month = '', index } of text.matchAll(ORDINAL_MONTH)) {
    if (isDay(day) && Number(month) >= 1 && Number(month) <= 12) add(index, index + whole.length)
  }
  for (const match of text.matchAll(YEAR_FIRST)) {
    const [whole, month = ''] = match
    const end = match.index + whole.length
    const hasDay = /\d$/.test(whole)
    if (hasDay ? !isFollowedByUnit(text, end) : !isOrdinaryWord(text, month, '', end)) add(match.index, end)
  }
  return findings
}

const isDay = (day: string): boolean => Number(day) >= 1 && Number(day) <= 31

/** Denominators of durations, of scores and of parts of a whole. */
const DENOMINATORS = new Set([2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 20, 24, 30])
const DAYS_BEFORE =
  /(?<![a-z])(?:on|seen|attended|admitted|reviewed|discharged|nights?(?: of)?|weekend(?: of)?|since|until|till|dated?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6})(?: the)? $/i

const SCORE_BEFORE =
  /(?<![a-z])(?:scor(?:e|es|ed|ing)|scale|total|cfs|frailty|gcs|nyha|ecog|ps|pain|vas|mrc|grade|stage|class|apgars?|ess|epworth|waterlow|news ?2?|ews|phq-?9?|gad-?7?|mmse|moca|amts?|4at|nihss|mrs|rockall|braden|bishop|gleason|asa|rass)(?: (?:of|is|was|now|at))?[ :=]{0,2}$/i

/**
 * Returns true for a duration or a score before a word that begins like a month: "7/7. May", "7/10, dec". Two days have a
 * year or an ordinal, or they are consecutive with only a blank before the month: "27/28 May".
 */
function isFraction(text: string, match: RegExpExecArray): boolean {
  const [, range = '', day = '', ordinal = '', gap = '', , , year = ''] = match
  const first = /^(\d{1,2}) ?\/ ?$/.exec(range)?.[1]
  if (first === undefined || ordinal !== '' || /^'|\d{4}/.test(year)) return false
  if (Number(day) !== Number(first) + 1 || !/^ (?:of )?$/.test(gap)) return true
  const before = text.slice(Math.max(0, match.index - 24), match.index)
  return (DENOMINATORS.has(Number(day)) && !isAfterDayWord(text, match.index)) || SCORE_BEFORE.test(before)
}

const isAfterDayWord = (text: string, start: number): boolean =>
  DAYS_BEFORE.test(text.slice(Math.max(0, start - 24), start))

/** Returns true for a score, after which a sentence or clause begins: "CFS 6. May need help", "pain 7, dec since". */
function isSentenceAfterScore(text: string, start: number, between: string, month: string, end: number): boolean {
  if (/^\. ?$/.test(between) && month === 'May' && VERB_AFTER.test(text.slice(end, end + 16))) return true
  if (!/^[.,\n]/.test(between)) return false
  const figure = /^ \d{1,3}(?:\.\d+)?/.exec(text.slice(end, end + 8))?.[0]
  if (figure !== undefined && isFollowedByUnit(text, end + figure.length)) return true
  return SCORE_BEFORE.test(text.slice(Math.max(0, start - 24), start))
}

const VERB_AFTER =
  /^ (?:be|have|has|need|require|benefit|also|not|well|help|cause|take|use|occur|feel|experience|notice|suggest|indicate|represent|reflect|lead|result|become|get|still|want|wish|attend|return|develop|respond|worsen|improve|present|only|even|then|yet|never|perhaps|possibly|of been|continue|stop|start|increase|reduce|drop|fall|rise|fracture|past|appear|become|look|try|think|mean|vary|play|include|range|cross|disrupt|contain|contribute|affect|carry|form|impair|underlie|function|bind|slightly|allow|alter|act|account|make|come|prevent|produce|provide|protect|remain|seem|influence|interfere|differ|depend|exist|explain|extend|lose|persist|receive|recur|relate|share|spread|suffer|survive|tend|exhibit|display|potentially|eventually|sometimes|often|occasionally|rarely|simply|actually|both|each)(?![a-z])/i
const PRONOUN_AFTER = /^ (?:i|we|he|she|they|it)(?![a-z])/i
/** Words after which "may" is a month if a word for a day is before the number: "on 7 may he fell", "seen 7 may form signed". */
const PERSON_OR_NOUN_AFTER =
  /^ (?:i|we|he|she|they|it|form|function|account|act|display|exhibit|share|range|play|result|return|fracture|fall)(?![a-z])/i
const SCAN_AFTER =
  /^(?:'?s)? ?(?:scans?|images?|imaging|macula|show|reveal|normal|confirm|thickness|today|both|of the|rnfl|disc)/i

/** Returns true for month names that are words or scans, and have no year: "12 may be", "2 OCT scans", "10 march fractures". */
function isOrdinaryWord(text: string, month: string, ordinal: string, end: number): boolean {
  const after = text.slice(end, end + 16)
  if (/^may$/i.test(month))
    return month !== 'May' && (VERB_AFTER.test(after) || (ordinal === '' && PRONOUN_AFTER.test(after)))
  if (/^march$/i.test(month)) return /^ (?:fracture|past|on |in step)/i.test(after)
  if (/^oct$/i.test(month)) return SCAN_AFTER.test(after)
  return ordinal === '' && /^(?:dec|mar|sep)$/.test(month) && isFollowedByUnit(text, end)
}

/** Returns true for a gene that is named like a month: "SEPT9 mutations", "variants in the MARCH1 gene". */
function isGene(text: string, start: number, month: string, day: string, end: number): boolean {
  if (!/^(?:sept|march|dec|oct)$/i.test(month) || !/^(?:[1-9]|1[0-4])$/.test(day)) return false
  return GENE_AFTER.test(text.slice(end, end + 18)) || GENE_BEFORE.test(text.slice(Math.max(0, start - 24), start))
}

const GENE_WORD =
  '(?:genes?|mutations?|mutants?|proteins?|variants?|alleles?|polymorphisms?|deletions?|duplications?|transcripts?|isoforms?|expression|methylat[a-z]{2,3})'
const GENE_AFTER = new RegExp(`^[ -]${GENE_WORD}(?![a-z])`, 'i')
const GENE_BEFORE = new RegExp(`(?<![a-z])${GENE_WORD} (?:(?:in|of) )?(?:the )?$`, 'i')

/** Accepts "March 3rd", "March the 3rd" and "March 3, 2021". Refuses "the OCT 3rd time", "may 3rd-degree" and "may first be". */
function isSureDay(text: string, match: RegExpExecArray, end: number): boolean {
  const [, month = '', , article, , ordinal, rest = ''] = match
  if (rest !== '' || ordinal === undefined) return true
  if (/^(?:may|MAY)$/.test(month) && article === undefined && VERB_AFTER.test(text.slice(end, end + 16)))
    return isAfterDayWord(text, match.index)
  const after = text.slice(end, end + 12)
  return (
    !/^[- ](?:degree|time|line|dose|cycle|visit|trimester|year|week|month|day of|grade|stage|party|nerve|toe|rib|digit|finger|metat|metac|cran|heart|ventr)/i.test(
      after,
    ) || /^[A-Z][a-z]/.test(month)
  )
}

/** Accepts "Jan 12". Refuses "Jan 3 episodes", "may 2 weeks later", "dec 10%" and "OCT 12". */
function isBareDay(text: string, start: number, month: string, end: number): boolean {
  const after = text.slice(end, end + 24)
  // "Dose dec. 20 to 10 mg" is a decrease.
  const other = /^dec/i.test(month) ? /^ (?:down )?(?:to|by) \d{1,4}(?:\.\d+)?/.exec(after)?.[0] : undefined
  if (other !== undefined && isFollowedByUnit(text, end + other.length)) return false
  if (isFollowedByUnit(text, end) || /^ ?(?:[-+x/]|x )\d|^ ?%/.test(after)) return false
  if (
    /^ (?:more |further |new |or |to )?[a-z]{2,}s(?![a-z])/.test(after) &&
    !/^ (?:was|is|has|his|this|as|us|its|does|shows)(?![a-z])/.test(after)
  )
    return false
  if (
    /^may$/.test(month) &&
    /[a-z] $/.test(text.slice(Math.max(0, start - 2), start)) &&
    !/(?:on|since|from|until|till|by|of|dated|before|after|in|seen|last|around|around) $/i.test(
      text.slice(Math.max(0, start - 8), start),
    )
  )
    return false
  // OCT in capitals among lower-case letters is the scan.
  return !(
    month === 'OCT' &&
    (SCAN_AFTER.test(after) || /[a-z]/.test(text.slice(Math.max(0, start - 30), start) + after))
  )
}
