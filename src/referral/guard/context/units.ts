// Tells a quantity from a number that names somebody: a unit after it, a currency before it.

const UNIT = [
  'units?|iu|miu|kiu|mu|u|mg|mcg|ug|ng|pg|kg|g|grams?|ml|mls|dl|fl|litres?|liters?|l|cc|mm|cm|nm|m|metres?|feet|ft|inch(?:es)?',
  'mmol|umol|nmol|pmol|mol|meq|mosm|mmhg|kpa|bpm|hz|khz|kcal|cal|calories|joules?|gy|cgy|mbq|msv|kv|ma|db|ds|d',
  'copies|cells?|cfu|particles|colonies|platelets|per|steps|microns?|cycles?|beats|breaths',
  'tabs?|tablets?|caps?|capsules?|puffs?|drops?|doses?|sachets?|sprays?|patch(?:es)?|amps?|vials?|pens?',
  'hours?|hrs?|days?|nights?|weeks?|wks?|wk|months?|mths?|years?|yrs?|yo|yr|mins?|minutes?|seconds?|secs?|times|x',
  'mmhg|degrees?|percent|french|fr|gauge|bd|tds|qds|od|nocte|mane|prn',
].join('|')
const AFTER = new RegExp(`[ \\n]?(?:%|x ?10|/ ?(?:[a-z]|\\d+ ?(?:ml|l|mm|cells))|(?:${UNIT})(?![a-z0-9]))`, 'iy')

/** Units of things counted in millions; one letter alone is not enough beside a number of seven digits. */
const COUNT_AFTER =
  /[ \n]?(?:x ?10|\/ ?(?:u?l|ml|dl|mm|cu|hpf|day|kg|d|h|min|cells?|c)(?![a-z])|(?:units?|iu|miu|kiu|mu|u|copies|cells?|cfu|c\/ml|particles|colonies|platelets|per|ng|pg|mg|mcg|ug|ml|mmol|umol|steps|x|million|euros?|dollars|pounds)(?![a-z0-9]))/iy

const CURRENCY_BEFORE = /(?:[$£€]|eur|gbp|usd) ?$/i

/** A capital after a line end starts another sentence. */
function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  if (/^\n[^a-z]/.test(text.slice(index, index + 2))) return false
  pattern.lastIndex = index
  return pattern.test(text)
}

/** A unit of any kind stands right after `index`. */
export function isFollowedByUnit(text: string, index: number): boolean {
  return matchesAt(AFTER, text, index)
}

/** A unit of something that comes in millions (copies, units, cells) stands right after `index`. */
export function isFollowedByCount(text: string, index: number): boolean {
  return matchesAt(COUNT_AFTER, text, index)
}

export function isMoney(text: string, start: number): boolean {
  return CURRENCY_BEFORE.test(text.slice(Math.max(0, start - 4), start))
}
