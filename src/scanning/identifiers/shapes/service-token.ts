// Finds access tokens of known services by their prefixes, also with marks between characters or groups, and private keys (PEM).
import { runSteps, searchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { APART, CERTAINTY, DIGITS, type Finder, type Finding } from '../finding.ts'

/** One of the beginnings, which have blanks between them, and what follows it. */
type Form = readonly [beginnings: string, rest: RegExp]

/** Requires a random part: sixteen letters and digits without a mark. Words joined by dashes, such as style names, have none. */
const RANDOM = '(?=[A-Za-z0-9_-]{0,60}(?<![A-Za-z0-9])[A-Za-z0-9]{16})(?=[A-Za-z_-]{0,80}\\d)'

const defineToken = <const Id extends string>(id: Id, name: string, ...forms: readonly Form[]) =>
  ({ id, group: 'secret', name, forms }) as const

/** In the order of published enumerations. The first beginning that fits is taken, so sk-aqta- is before sk-. */
export const TOKENS = [
  defineToken('aqta_key', 'Countersign key', ['aqta_ vk_live_ vk_test_ sk-aqta-', /[A-Za-z0-9]{40,120}/y]),
  defineToken('openai_key', 'OpenAI key', ['sk-', new RegExp(`(?!ant-|aqta-)${RANDOM}[A-Za-z0-9_-]{20,250}`, 'y')]),
  defineToken('anthropic_key', 'Anthropic key', ['sk-', /ant-[A-Za-z0-9_-]{20,250}/y]),
  defineToken(
    'github_token',
    'GitHub token',
    ['ghp_ gho_ ghu_ ghs_ ghr_', /[A-Za-z0-9]{36,255}/y],
    ['github_pat_', /[A-Za-z0-9_]{36,255}/y],
  ),
  defineToken('slack_token', 'Slack token', [
    'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-',
    /(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9-]{10,250}/y,
  ]),
  defineToken('aws_access_key', 'AWS access key', ['AKIA ASIA', /[A-Z2-7]{16}(?![A-Za-z0-9])/y]),
  defineToken('google_api_key', 'Google API key', ['AIza', /[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y]),
  defineToken('stripe_key', 'Stripe key', ['sk_live_ sk_test_ rk_live_ rk_test_', /[A-Za-z0-9]{16,250}/y]),
  defineToken('json_web_token', 'JSON Web Token', [
    'eyJ',
    /[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{0,2048}/y,
  ]),
  // findWholeTokens finds these.
  defineToken('private_key', 'private key'),
]

export type TokenShape = (typeof TOKENS)[number]['id']

const FORMS = TOKENS.flatMap(({ id: shape, forms }) =>
  forms.flatMap(([beginnings, rest]) => beginnings.split(' ').map((beginning) => ({ shape, beginning, rest }))),
)
const FORMS_BY_BEGINNING = Map.groupBy(FORMS, ({ beginning }) => beginning)
const BEGINNING = new RegExp([...FORMS_BY_BEGINNING.keys()].join('|'), 'g')
const BEGINNING_HERE = new RegExp([...FORMS_BY_BEGINNING.keys()].join('|'), 'y')

const PEM_BEGINNING = /-----BEGIN /g
const PEM_LABEL = /(?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y
const PEM_BODY = /(?:[A-Za-z0-9+/=:,.()\\\s]|-(?!----)){0,16384}/y
const PEM_END = /-----END (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y
/** A key without an end marker extends as far as its lines. */
const PEM_LINES = /(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{16,100}){0,400}/y

/** More than a beginning, or the first group of a token and its mark, can have. */
const REACH = 128

/** Searches copies. The search of the whole text finds tokens that have no digit near them. */
export const serviceTokens: Finder<TokenShape> = {
  find: (text) => runSteps(findServiceTokensInSteps(text)),
  letters: 1,
  ...DIGITS,
  inAlteredCopies: false,
}

/** Finds tokens in a text of any length. Case and marks count, so it searches the text as it is, not a folded copy. */
export function* findServiceTokensInSteps(text: string): Steps<Finding<TokenShape>[]> {
  return [...(yield* findWholeTokens(text)), ...(yield* findSpacedTokens(text)), ...(yield* findGroupedTokens(text))]
}

function* findWholeTokens(text: string): Steps<Finding<TokenShape>[]> {
  const findings: Finding<TokenShape>[] = []
  yield* searchInSteps(text, PEM_BEGINNING, REACH, ({ 0: beginning }, start) => {
    const end = endOfPrivateKey(text, start + beginning.length)
    if (end === -1) return undefined
    findings.push({ shape: 'private_key', start, end, certainty: CERTAINTY.token })
    return end
  })
  yield* searchInSteps(text, BEGINNING, REACH, ({ 0: beginning }, start) => {
    if (!isBeginning(text, start, beginning)) return undefined
    const token = tokenAt(text, start, beginning)
    if (token !== undefined) findings.push({ ...token, start, certainty: CERTAINTY.token })
    return token?.end
  })
  return findings
}

function tokenAt(text: string, start: number, beginning: string): { shape: TokenShape; end: number } | undefined {
  for (const { shape, rest } of FORMS_BY_BEGINNING.get(beginning) ?? []) {
    const end = endOfMatch(rest, text, start + beginning.length)
    if (end !== -1) return { shape, end }
  }
  return undefined
}

/** Matches "g h p _ q 7": the same mark between the first four characters, and then between all. */
const SPACED = new RegExp(`(?<![A-Za-z0-9])[A-Za-z-](${APART})[A-Za-z_-]\\1[A-Za-z_-]\\1[!-~](?=\\1)`, 'g')

/** How many characters of a spaced token a step reads. */
const MANY_SPACED = 4_096

function* findSpacedTokens(text: string): Steps<Finding<TokenShape>[]> {
  const runs: { first: number; stride: number; end: number }[] = []
  yield* searchInSteps(text, SPACED, REACH, ({ 1: mark = '' }, first) => {
    const stride = mark.length + 1
    let end = first + 1
    while (text.startsWith(mark, end) && end + mark.length < text.length) end += stride
    // A letter or digit here begins the next word.
    if (/[A-Za-z0-9]/.test(text.charAt(end))) end -= stride
    runs.push({ first, stride, end })
    return end
  })
  const findings: Finding<TokenShape>[] = []
  for (const { first, stride, end } of runs) {
    let written = ''
    for (let at = first; at < end; at += stride) {
      written += text.charAt(at)
      if (written.length % MANY_SPACED === 0) yield MANY_SPACED / 4
    }
    for (const token of yield* findWholeTokens(written)) {
      const start = first + token.start * stride
      findings.push({ ...token, start, end: start + (token.end - token.start - 1) * stride + 1 })
    }
  }
  return findings
}

/** The first group of a token: two letters of a prefix, and a mark further on. */
const GROUPED = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[...new Set(FORMS.map(({ beginning }) => beginning.slice(0, 2)))].join('|')})[A-Za-z0-9_.-]{0,80}?( ?[/,:;|] ?|[ \\n])(?=[A-Za-z0-9_-])`,
  'g',
)
const GROUP = /[A-Za-z0-9_.-]{1,80}/y
const RANDOM_GROUP = /\d|[a-z][A-Z]/
const GROUPS_SURE = 8
const GROUPS_MOST = 512
/** The longest prefix has eleven characters; the shortest groups have two. */
const GROUPS_OF_BEGINNING = 6
/** Words that often follow a token. */
const WORD =
  /^(?:an?|and|are|as|at|be|but|by|for|from|has|if|in|is|it|no|not|of|on|or|so|that|the|then|this|to|was|will|with|you)$/

/** Finds tokens in groups of one length, of which the first and the last may have another: "ghp_q7Zr 2LmX 9cVb". */
function* findGroupedTokens(text: string): Steps<Finding<TokenShape>[]> {
  const findings: Finding<TokenShape>[] = []
  let skipped = 0
  yield* searchInSteps(text, GROUPED, REACH, ({ 0: first, 1: mark = '' }, start) => {
    if (start < skipped) return undefined
    const beginning = first.slice(0, -mark.length)
    const at = start + first.length
    if (beginningOf(beginning + groupsAt(text, at, mark, GROUPS_OF_BEGINNING).join('')) === undefined) return undefined
    const groups = groupsAt(text, at, mark, GROUPS_MOST)
    const random = groups.filter((group) => RANDOM_GROUP.test(group)).length
    if (groups.length < GROUPS_SURE && random * 2 < groups.length) return undefined
    const withoutLast = tokenOfGroups(beginning, groups.slice(0, -1))
    const isWord = withoutLast !== undefined && WORD.test(groups.at(-1) ?? '')
    const token = isWord ? withoutLast : (tokenOfGroups(beginning, groups) ?? withoutLast)
    if (token === undefined || token.end <= beginning.length) {
      // Skip a long run of groups, so that it is read once however many prefixes it has.
      if (groups.length > GROUPS_SURE * 4) skipped = at + groups.length * ((groups[0]?.length ?? 0) + mark.length)
      return undefined
    }
    let end = start + beginning.length
    let remaining = token.end - beginning.length
    for (const group of groups) {
      if (remaining <= 0) break
      end += mark.length + Math.min(remaining, group.length)
      remaining -= group.length
    }
    findings.push({ shape: token.shape, start, end, certainty: CERTAINTY.token })
    return undefined
  })
  return findings
}

/** Returns the groups from `start` on that are as long as the first one. A shorter one is the last. */
function groupsAt(text: string, start: number, mark: string, most: number): string[] {
  const groups: string[] = []
  let at = start
  while (groups.length < most) {
    const end = endOfMatch(GROUP, text, at)
    const length = groups[0]?.length ?? end - at
    if (end === -1 || end - at > length) break
    groups.push(text.slice(at, end))
    if (end - at < length || !text.startsWith(mark, end)) break
    at = end + mark.length
  }
  return groups
}

function beginningOf(written: string): string | undefined {
  BEGINNING_HERE.lastIndex = 0
  return BEGINNING_HERE.exec(written)?.[0]
}

function tokenOfGroups(beginning: string, groups: readonly string[]): { shape: TokenShape; end: number } | undefined {
  const written = beginning + groups.join('')
  const known = beginningOf(written)
  // A token that ends before the first mark is found without its groups.
  if (known === undefined || tokenAt(beginning, 0, known)?.end === beginning.length) return undefined
  return tokenAt(written, 0, known)
}

/** A JSON web token may be very long. In a run of such prefixes only the first is read to its end. */
const LONG_BEGINNING = 'eyJ'

/** Returns true after a mark, or after a line end written as an escape. File and setting names have marks: "key_ghp_…". */
function isBeginning(text: string, start: number, beginning: string): boolean {
  const same = beginning === LONG_BEGINNING ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9]/
  return !same.test(text.charAt(start - 1)) || /\\[nrt]/.test(text.slice(Math.max(0, start - 2), start))
}

/** Returns -1 if no private key's label is at `start`. */
function endOfPrivateKey(text: string, start: number): number {
  const bodyStart = endOfMatch(PEM_LABEL, text, start)
  if (bodyStart === -1) return -1
  const end = endOfMatch(PEM_END, text, endOfMatch(PEM_BODY, text, bodyStart))
  return end === -1 ? endOfMatch(PEM_LINES, text, bodyStart) : end
}

function endOfMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** The longest marker of a private key's beginning or end is shorter. */
const PEM_MARKER = 64

/** Returns where a token in groups or a private key begins that may go on after the end of `text`, or -1. */
export function startOfOpenToken(text: string): number {
  const key = text.lastIndexOf('-----BEGIN ')
  if (key !== -1 && isOpenPrivateKey(text, key + '-----BEGIN '.length)) return key
  for (const { 0: first, 1: mark = '', index } of text.matchAll(GROUPED)) {
    const at = index + first.length
    const groups = groupsAt(text, at, mark, GROUPS_MOST)
    const length = groups[0]?.length ?? 0
    const isToEnd = at + groups.length * (length + mark.length) >= text.length && groups.at(-1)?.length === length
    if (
      isToEnd &&
      beginningOf(first.slice(0, -mark.length) + groups.slice(0, GROUPS_OF_BEGINNING).join('')) !== undefined
    )
      return index
  }
  return -1
}

function isOpenPrivateKey(text: string, start: number): boolean {
  const bodyStart = endOfMatch(PEM_LABEL, text, start)
  if (bodyStart === -1) return text.length - start < PEM_MARKER
  const bodyEnd = endOfMatch(PEM_BODY, text, bodyStart)
  return text.length - bodyEnd < PEM_MARKER && endOfMatch(PEM_END, text, bodyEnd) === -1
}
