// Tokens of known services, by the letters that they begin with: what is secret of them is long and random.
import { CERTAINTY } from '../finding.ts'
import type { Finding } from '../finding.ts'
import type { TokenShape } from '../identifier-shapes.ts'

/** `rest` is what follows one of the beginnings, from where that ends. */
type Token = { readonly shape: TokenShape; readonly beginnings: readonly string[]; readonly rest: RegExp }

/** Its longest part without a mark is random: words joined by dashes, as names of styles are, have none so long. */
const RANDOM = '(?=[A-Za-z0-9_-]{0,60}(?<![A-Za-z0-9])[A-Za-z0-9]{16})(?=[A-Za-z_-]{0,80}\\d)'

const TOKENS: readonly Token[] = [
  { shape: 'aqta_key', beginnings: ['aqta_', 'vk_live_', 'vk_test_'], rest: /[A-Za-z0-9]{40,120}/y },
  { shape: 'aqta_key', beginnings: ['sk-'], rest: /aqta-[A-Za-z0-9]{40,120}/y },
  { shape: 'anthropic_key', beginnings: ['sk-'], rest: /ant-[A-Za-z0-9_-]{20,250}/y },
  {
    shape: 'openai_key',
    beginnings: ['sk-'],
    rest: new RegExp(`(?!ant-|aqta-)${RANDOM}[A-Za-z0-9_-]{20,250}`, 'y'),
  },
  { shape: 'github_token', beginnings: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: /[A-Za-z0-9]{36,255}/y },
  { shape: 'github_token', beginnings: ['github_pat_'], rest: /[A-Za-z0-9_]{36,255}/y },
  {
    shape: 'slack_token',
    beginnings: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    rest: /(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9-]{10,250}/y,
  },
  { shape: 'aws_access_key', beginnings: ['AKIA', 'ASIA'], rest: /[A-Z2-7]{16}(?![A-Za-z0-9])/y },
  { shape: 'google_api_key', beginnings: ['AIza'], rest: /[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y },
  {
    shape: 'stripe_key',
    beginnings: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    rest: /[A-Za-z0-9]{16,250}/y,
  },
  {
    shape: 'json_web_token',
    beginnings: ['eyJ'],
    rest: /[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{0,2048}/y,
  },
]

const BEGINNINGS = new Set(TOKENS.flatMap(({ beginnings }) => beginnings))
const BEGINNING = new RegExp([...BEGINNINGS].join('|'), 'g')
const TOKENS_BY_BEGINNING = new Map(
  [...BEGINNINGS].map((beginning) => [beginning, TOKENS.filter((token) => token.beginnings.includes(beginning))]),
)

const PEM_BEGINNING = '-----BEGIN '
const PEM_LABEL = /(?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y
const PEM_BODY = /(?:[A-Za-z0-9+/=:,.()\\\s]|-(?!----)){0,16384}/y
const PEM_END = /-----END (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y
/** A key whose end is missing reaches as far as its lines do. */
const PEM_LINES = /(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{16,100}){0,400}/y

/** Case and marks count, so they are looked for in the text as it is, however long that is. */
export function findServiceTokens(text: string): Finding<TokenShape>[] {
  const findings: Finding<TokenShape>[] = findPrivateKeys(text)
  BEGINNING.lastIndex = 0
  for (let match = BEGINNING.exec(text); match !== null; match = BEGINNING.exec(text)) {
    const [beginning] = match
    const { index: start } = match
    if (!isBeginning(text, start)) continue
    for (const { shape, rest } of TOKENS_BY_BEGINNING.get(beginning) ?? []) {
      const end = endOfMatch(rest, text, start + beginning.length)
      if (end === -1) continue
      findings.push({ shape, start, end, certainty: CERTAINTY.token })
      BEGINNING.lastIndex = end
      break
    }
  }
  return findings
}

/** Nothing that could be of the same word stands before it, save a line end that is written as an escape. */
function isBeginning(text: string, start: number): boolean {
  return !/[A-Za-z0-9_-]/.test(text.charAt(start - 1)) || /\\[nrt]/.test(text.slice(Math.max(0, start - 2), start))
}

function findPrivateKeys(text: string): Finding<'private_key'>[] {
  const findings: Finding<'private_key'>[] = []
  let start = text.indexOf(PEM_BEGINNING)
  while (start !== -1) {
    const end = endOfPrivateKey(text, start)
    if (end !== -1) findings.push({ shape: 'private_key', start, end, certainty: CERTAINTY.token })
    start = text.indexOf(PEM_BEGINNING, end === -1 ? start + PEM_BEGINNING.length : end)
  }
  return findings
}

/** -1 where no private key begins at `start`. */
function endOfPrivateKey(text: string, start: number): number {
  const bodyStart = endOfMatch(PEM_LABEL, text, start + PEM_BEGINNING.length)
  if (bodyStart === -1) return -1
  const end = endOfMatch(PEM_END, text, endOfMatch(PEM_BODY, text, bodyStart))
  return end === -1 ? endOfMatch(PEM_LINES, text, bodyStart) : end
}

function endOfMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : -1
}
