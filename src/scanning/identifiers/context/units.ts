// Decides whether a number is a quantity, and so no identifier: a unit follows it, or a currency precedes it. UNIT_AFTER leaves out words that also follow
// identifiers (per, x, capital L, HR, cc): "087 1234567 x 3", "14/11/62 L knee", "12/03/24 cc GP".

/** Units that are longer than an abbreviation and have no other meaning. */
const WORDS =
  'units|miu|grams?|litres?|liters?|microns?|mmol|umol|nmol|pmol|mosm|mmhg|kpa|kcal|calories|tabs|tablets?|caps|capsules|puffs|' +
  'hours|hrs|days|nights|weeks|wks|months|mths|years|yrs|mins|degrees|percent|steps|beats|breaths'
/** Symbols that only their case tells from initials and diseases: mg from MG, mm from MM. */
const SYMBOLS = 'mg|mcg|MCG|ug|ng|pg|kg|KG|g(?!/)|u(?!/)|m[lL]s?|ML|d[lL]|cm|CM|mm|nm|iu|IU|bpm|dB'
const RATE =
  '/ ?(?:day|min|hr|kg|ml|mL|l|dl|wk|week|month|dose|\\d+ ?(?:ml|l|mm|cells))(?![A-Za-z])|x ?10(?:[\\^*(]|\\d)|%'
const PER =
  'per (?:day|dose|meal|night|week|wk|month|year|hour|hr|min|minute|kg|l|litre|ml|mm|ul|hpf|cell|cubic|field|tablet)(?![a-z])'

const NOT_GLUED = '(?![A-Za-z0-9])'
const unitAfter = (...alternatives: string[]): readonly RegExp[] => [
  new RegExp(`[ \\n]?(?:${alternatives.join('|')})`, 'y'),
  new RegExp(`[ \\n]?(?:${WORDS})${NOT_GLUED}`, 'iy'),
]
const UNIT_AFTER = unitAfter(RATE, `(?:${SYMBOLS})${NOT_GLUED}`)
/** Units after numbers with dashes between them, which are more often doses and durations than dates. */
const RUN_UNIT_AFTER = unitAfter(
  RATE,
  PER,
  '[lL](?=/| (?:O2|oxygen|via|per))|x ?\\d+(?:/(?:7|52|12)| (?:days|weeks|months|nights))',
  `(?:${SYMBOLS}|doses|drops|sachets|sprays|times|feet|ft|inch(?:es)?|meq|cycles|seconds|secs|minutes|cells|bd|tds|qds|nocte|mane)${NOT_GLUED}`,
  `(?:hour|day|night|week|month|year|degree)(?=[-.,;)\\n]| (?:review|course|follow|interval|check|scan|visit|history|period|recall|arc)|$)`,
)

/** Units of things that are counted in millions. "copies to", "copies sent" and "copies for" are about letters. */
const COUNT_AFTER: readonly RegExp[] = [
  new RegExp(
    `[ \\n]?(?:${PER}|x ?10(?:[\\^*(]|\\d)|/ ?(?:[um]?[lL]|d[lL]|mm3?|cu|hpf|day|kg|min|cells?)(?![A-Za-z])|c/ml|(?:mg|mcg|ng|pg|ug|m[lL])${NOT_GLUED}|(?<=000[ \\n]?)[uU](?![A-Za-z0-9/]))`,
    'y',
  ),
  /[ \n]?(?:units|iu|miu|kiu|mu|copies(?! (?:to|sent|for)(?![a-z]))|cells|cfu|particles|colonies|platelets|mmol|umol|kcal|steps|million|euros?|dollars|pounds)(?![a-z0-9])/iy,
]

const CURRENCY_BEFORE = /(?:[$£€]|eur|gbp|usd) ?$/i

/** Tests the patterns at `index`. A capital after a line end starts another sentence, so it is no unit. */
function matchesAt(patterns: readonly RegExp[], text: string, index: number): boolean {
  if (/^\n[^a-z]/.test(text.slice(index, index + 2))) return false
  return patterns.some((pattern) => {
    pattern.lastIndex = index
    return pattern.test(text)
  })
}

/** Returns true if a unit follows numbers that only look like a date: "10/8/12 mg", "6/12/18 months". */
export const isFollowedByUnit = (text: string, index: number): boolean => matchesAt(UNIT_AFTER, text, index)

/** Returns true if a unit follows a run of numbers with dashes: "10-8-12 degrees", "8-10-12 per day". */
export const isFollowedByRunUnit = (text: string, index: number): boolean => matchesAt(RUN_UNIT_AFTER, text, index)

/** Returns true if a unit of something that is counted in millions (copies, units, cells) is at `index`. */
export const isFollowedByCount = (text: string, index: number): boolean => matchesAt(COUNT_AFTER, text, index)

export const isMoney = (text: string, start: number): boolean =>
  CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 4), start))
