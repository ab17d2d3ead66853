// Where in a text anything can be found at all: most prose holds no figure for pages, and is not searched. Cheaper than the search
// by far, and never narrower: whatever the search finds begins in one of these ranges. Pure.

export type Range = { readonly from: number; readonly to: number }

/** Folding makes other characters of such text than what they look like. It is searched as a whole. */
const UNUSUAL = /[^\t\n\r -~À-ÖØ-öø-ÿ‘’“”–—…•€]/

const BETWEEN = '[\\s,–—-]+'
const FIGURE = '(?:zero|one|two|three|four|five|six|seven|eight|nine|oh|ten|double|treble|triple)'
const MONTH = '(?:jan|feb|mar|apr|may|ju|aug|sep|oct|nov|dec)'

/**
 * A figure; the sign of an address, or the word for it; a reference to a character; letters that stand for figures; numbers
 * and dates in words. In lower case, and each by itself: one pattern of them all takes several times as long.
 */
const SPARKS: readonly RegExp[] = [
  /[\d@]/g,
  /&[#a-z]|%[0-9a-f]{2}|\\[ux]/g,
  /[([{<]\s*at\s*[)\]}>]|\sat\s+[a-z0-9-]+\s*(?:dot\s|[([{<]\s*dot)/g,
  /[oil]{1,4}[\s.–—-]+[oil]{2,4}[\s.–—-]+[oil]/g,
  new RegExp(`${FIGURE}${BETWEEN}${FIGURE}${BETWEEN}`, 'g'),
  new RegExp(`(?:oh|zero|double)${BETWEEN}[a-z]{3,7}(?:ty|teen)`, 'g'),
  new RegExp(`(?:nineteen|twenty|thousand)${BETWEEN}[a-z]`, 'g'),
  new RegExp(`(?:st|second|third|th|ten|[eo]n|ven|[eo])\\s+(?:day\\s+)?(?:of\\s+)?${MONTH}`, 'g'),
  /(?:y|march|april|june|july|august|ber),?\s+(?:the\s+)?(?:[a-z]+th|first|second|third|t[ehw]|one|two|f[io]|s[ie]|eig|nin|ele)/g,
]

/** More than what can stand of something before its first spark: its label and its own beginning. */
const BEFORE = 384

/** In order, and none touches another. */
export function whereToLook(text: string): Range[] {
  if (UNUSUAL.test(text)) return [{ from: 0, to: text.length }]
  const lowered = text.toLowerCase()
  const sparks = SPARKS.flatMap((spark) => Array.from(lowered.matchAll(spark)))
  const ranges: Array<{ from: number; to: number }> = []
  for (const { 0: spark, index } of sparks.toSorted((one, other) => one.index - other.index)) {
    const [from, to] = [Math.max(0, index - BEFORE), index + spark.length]
    const last = ranges.at(-1)
    if (last === undefined || from > last.to) ranges.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  return ranges
}
