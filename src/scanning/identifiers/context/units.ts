// Tells a quantity from a number that names somebody: a unit after it, a currency before it. Words that follow a quantity and
// an identifier alike (per, x, a capital L, HR, cc) are none: "087 1234567 x 3", "14/11/62 L knee", "12/03/24 cc GP".

/** Longer than an abbreviation, and only ever a unit. */
const WORDS =
  'units|miu|grams?|litres?|liters?|microns?|mmol|umol|nmol|pmol|mosm|mmhg|kpa|kcal|calories|tabs|tablets?|caps|capsules|puffs|' +
  'hours|hrs|days|nights|weeks|wks|months|mths|years|yrs|mins|degrees|percent|steps|beats|breaths'
/** Case tells these from initials and diseases: mg from MG, mm from MM. */
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
/** After figures with dashes between them, which are more often doses and spans of time than days. */
const RUN_UNIT_AFTER = unitAfter(
  RATE,
  PER,
  '[lL](?=/| (?:O2|oxygen|via|per))|x ?\\d+(?:/(?:7|52|12)| (?:days|weeks|months|nights))',
  `(?:${SYMBOLS}|doses|drops|sachets|sprays|times|feet|ft|inch(?:es)?|meq|cycles|seconds|secs|minutes|cells|bd|tds|qds|nocte|mane)${NOT_GLUED}`,
  `(?:hour|day|night|week|month|year|degree)(?=[-.,;)\\n]| (?:review|course|follow|interval|check|scan|visit|history|period|recall|arc)|$)`,
)

/** Units of things that come in millions. Copies are also made of letters, and sent. */
const COUNT_AFTER: readonly RegExp[] = [
  new RegExp(
    `[ \\n]?(?:${PER}|x ?10(?:[\\^*(]|\\d)|/ ?(?:[um]?[lL]|d[lL]|mm3?|cu|hpf|day|kg|min|cells?)(?![A-Za-z])|c/ml|(?:mg|mcg|ng|pg|ug|m[lL])${NOT_GLUED}|(?<=000[ \\n]?)[uU](?![A-Za-z0-9/]))`,
    'y',
  ),
  /[ \n]?(?:units|iu|miu|kiu|mu|copies(?! (?:to|sent|for)(?![a-z]))|cells|cfu|particles|colonies|platelets|mmol|umol|kcal|steps|million|euros?|dollars|pounds)(?![a-z0-9])/iy,
]

const CURRENCY_BEFORE = /(?:[$£€]|eur|gbp|usd) ?$/i

/** A capital after a line end starts another sentence. */
function matchesAt(patterns: readonly RegExp[], text: string, index: number): boolean {
  if (/^\n[^a-z]/.test(text.slice(index, index + 2))) return false
  return patterns.some((pattern) => {
    pattern.lastIndex = index
    return pattern.test(text)
  })
}

/** A unit that is written after a date's figures where they are none: "10/8/12 mg", "6/12/18 months". */
export function isFollowedByUnit(text: string, index: number): boolean {
  return matchesAt(UNIT_AFTER, text, index)
}

/** A unit stands right after a run of figures with dashes: "10-8-12 degrees", "8-10-12 per day". */
export function isFollowedByRunUnit(text: string, index: number): boolean {
  return matchesAt(RUN_UNIT_AFTER, text, index)
}

/** A unit of something that comes in millions (copies, units, cells) stands right after `index`. */
export function isFollowedByCount(text: string, index: number): boolean {
  return matchesAt(COUNT_AFTER, text, index)
}

export function isMoney(text: string, start: number): boolean {
  return CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 4), start))
}
