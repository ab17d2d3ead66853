// How the search reads words: which it leaves out, which mean the same, and which a mistyped one is nearest to.

/** MiniSearch splits texts at these characters. */
export const BETWEEN_WORDS = /[\s\p{Z}\p{P}]+/u

/** The words that a question has around its subject. Most sections have them, and a few lack one by chance. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could did do does for from get gets had has have how i if in into is it its ' +
    'may me much must my of on or our shall should that the their them then there these they this to us was we were what ' +
    'when where which who whom whose why will with would you your'
  ).split(' '),
)

export const isFiller = (word: string): boolean => FILLERS.has(word.toLowerCase())

/** Returns the term of a word: singular and plural are one. */
export const termOf = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')

/** Words of the documents and of the dashboard, and what people type for them. */
export const SYNONYMS: readonly (readonly [found: readonly string[], typed: string])[] = [
  [
    ['redact', 'replace'],
    'pseudonym pseudonymise pseudonymize anonymise anonymize anonymisation anonymous mask masking',
  ],
  [['identifier', 'personal data'], 'pii phi gdpr dlp'],
  [['cost'], 'invoice price pricing billing bill spend spending money expense'],
  [['sign in'], 'login logon authentication authenticate'],
  [['repeat'], 'retry resend duplicate idempotent idempotency'],
  [['export'], 'backup download dump'],
  [['erase', 'erasure'], 'delete deletion destroy wipe forget'],
  [['revoke', 'remove'], 'delete disable deactivate'],
  [['rate limit', 'limit'], 'quota throttle throttling 429 rpm'],
  [['webhook'], 'notification notify callback slack'],
  [['response time'], 'performance latency speed fast slow'],
  [['key'], 'token credential bearer apikey'],
  [['rotate', 'replace'], 'renew roll rollover regenerate'],
  [['cache', 'stored answer'], 'caching cached'],
  [['approval'], 'hitl signoff escalate'],
  [['injection'], 'jailbreak'],
  [['organisation'], 'organization company tenant workspace'],
  [['member', 'person'], 'user team colleague seat staff'],
  [['role'], 'rbac privilege authorisation authorization'],
  [['policy', 'rule'], 'guardrail'],
  [['budget'], 'cap ceiling'],
  [['europe', 'region'], 'eu residency sovereignty'],
  [['stream'], 'sse streaming'],
  [['group'], 'bias fairness discrimination disparity'],
  [['hash'], 'checksum digest sha256'],
  [['deploy'], 'install installation hosting selfhost'],
  [['client'], 'sdk library'],
  [['verify', 'check'], 'validate proof'],
  [['create', 'new'], 'add'],
]

const TARGETS = new Map<string, readonly string[]>()
for (const [found, typed] of SYNONYMS)
  for (const word of typed.split(' ')) TARGETS.set(termOf(word), [...(TARGETS.get(termOf(word)) ?? []), ...found])

/** Returns the words and phrases that mean the same as a word that was typed. */
export const synonymsOf = (word: string): readonly string[] => TARGETS.get(termOf(word)) ?? []

/** Returns what tells whether a text has every word of the query, or one that means the same. Any text has those of an empty one. */
export function matcherOf(query: string): (text: string) => boolean {
  const all = query.toLowerCase().split(/\s+/).filter(Boolean)
  const subject = all.filter((word) => !isFiller(word))
  const wanted = (subject.length > 0 ? subject : all).map((word) => [termOf(word)].concat(synonymsOf(word)))
  return (text) => {
    const words = text.toLowerCase().split(/\s+/)
    const lower = words.concat(words.map(termOf)).join(' ')
    return wanted.every((same) => same.some((word) => lower.includes(word)))
  }
}

/** The least letters of a word that is corrected, and of one with two letters wrong. */
const LEAST_LETTERS = 3
const LEAST_FOR_TWO = 7
/** The work grows with the square of the length. */
const MOST_LETTERS = 30

/** Returns the term with the fewest letters changed, or null if none is near. @param terms with how often each occurs */
export function nearestTerm(word: string, terms: ReadonlyMap<string, number>): string | null {
  const typed = termOf(word)
  if (!/^\p{L}+$/u.test(typed) || typed.length < LEAST_LETTERS || typed.length > MOST_LETTERS) return null
  let nearest: string | null = null
  let least = typed.length < LEAST_FOR_TWO ? 1 : 2
  for (const [term, count] of terms) {
    if (Math.abs(term.length - typed.length) > least || !/^\p{L}+$/u.test(term)) continue
    const distance = distanceOf(typed, term)
    const isAsNear = distance === least && (nearest === null || count > (terms.get(nearest) ?? 0))
    if (distance >= least && !isAsNear) continue
    nearest = term
    least = distance
  }
  return nearest
}

/** Returns the query with the nearest terms in the place of the words that are not known; null if all are, or one has none near. */
export function correctWords(
  query: string,
  isKnown: (word: string) => boolean,
  terms: ReadonlyMap<string, number>,
): string | null {
  const unknown = query.split(BETWEEN_WORDS).filter((word) => word !== '' && !isFiller(word) && !isKnown(word))
  const near = unknown.map((word) => nearestTerm(word, terms))
  if (unknown.length === 0 || near.includes(null)) return null
  return unknown.reduce((corrected, word, at) => corrected.replace(word, near[at] ?? word), query)
}

/** The least letters to add, to take away, to replace or to swap with the next that make one word of the other. */
function distanceOf(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = above
    above = row
  }
  return above[other.length] ?? 0
}
