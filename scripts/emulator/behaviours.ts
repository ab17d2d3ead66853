// The emulator's behaviours, such as delays and errors, and their grammar: `slow,200+crlf` is two behaviours, the first with a
// number. The same text works in a header, a base URL, a model name and the queue.

import { PLAIN_PLAN } from './answer-plan.ts'
import type { EmulatorPlan } from './answer-plan.ts'

type Change = (numbers: readonly number[], word: string | null) => Partial<EmulatorPlan>
/**
 * `usage` begins with the name, then has the arguments, with their default values in brackets. docs/emulator.md describes the
 * effects.
 */
type Behaviour = readonly [usage: string, change: Change | Partial<EmulatorPlan>]

const failWith =
  (status: number): Change =>
  ([seconds], word) => ({
    failure: { status, retryAfterSeconds: seconds ?? null, asArray: word === 'array' },
  })

export const BEHAVIOURS: readonly Behaviour[] = [
  ['ok', {}],
  ['slow,MS (200)', ([ms = 200]) => ({ headerDelayMs: ms })],
  ['until-released', { waitsForRelease: true }],
  ['slow-body,MS (50)', ([ms = 50]) => ({ gapMs: ms })],
  ['silent,MS', ([ms]) => (ms === undefined ? { hold: 'after-headers' } : { bodyDelayMs: ms })],
  ['pause,EVENTS,MS (3, 200)', ([afterEvents = 3, ms = 200]) => ({ pause: { afterEvents, ms } })],
  ['never', { hold: 'before-headers' }],
  ['cut,EVENTS (3)', ([events = 3]) => ({ cutAfter: events })],
  ['truncate,EVENTS (3)', ([events = 3]) => ({ truncateAfter: events })],
  ['split', { splitCharacters: true }],
  ['crlf', { crlf: true }],
  ['comments', { comments: true }],
  ['401', failWith(401)],
  ['403', failWith(403)],
  ['429,SECONDS (1)', ([seconds = 1], word) => failWith(429)([seconds], word)],
  ['500', failWith(500)],
  ['503,SECONDS', failWith(503)],
  ['529', failWith(529)],
  [
    'refuse,STATUS,MEMBER (400)',
    ([status = 400], member) => ({ refusal: { kind: 'member', status, member: member ?? 'messages' } }),
  ],
  ['context', { refusal: { kind: 'context' } }],
  ['quota', { refusal: { kind: 'quota' } }],
  ['html,STATUS (502)', ([status = 502]) => ({ htmlStatus: status })],
  ['malformed,EVENTS (2)', ([events = 2]) => ({ malformedAfter: events })],
  [
    'mid-error,EVENTS (3)',
    ([events = 3], word) => ({ errorAfter: events, errorAs: word === 'array' || word === 'content' ? word : null }),
  ],
  ['no-usage', { usage: 'missing' }],
  ['zero-usage', { usage: 'zero' }],
  ['double-usage', { usage: 'double' }],
  ['odd-usage,cost', (_, word) => ({ oddUsage: word === 'cost' ? 'cost' : 'counts' })],
  ['no-arguments', { withoutArguments: true }],
  ['partial-args,N (4)', ([characters = 4]) => ({ argumentPiece: characters })],
  ['empty-choices', { empty: true }],
  ['no-role', { withoutRole: true }],
  ['chars,N (1000)', ([characters = 1000]) => ({ textCharacters: characters })],
  ['huge,N (1200000)', ([characters = 1_200_000]) => ({ textCharacters: characters, pieceCharacters: characters })],
  ['stream,N,MS (200, 0)', ([events = 200, ms = 0]) => ({ textCharacters: events * 4, pieceCharacters: 4, gapMs: ms })],
  ['echo,N (12)', ([characters = 12]) => ({ echoes: true, pieceCharacters: characters })],
  ['tool-call,N (1)', ([calls = 1]) => ({ toolCalls: calls })],
  ['refusal', { ending: 'refusal' }],
  [
    'content-filter',
    (_, word) => ({
      ending: 'content_filter',
      refusalCategory: word,
      promptBlocked: word === 'prompt' ? 'PROHIBITED_CONTENT' : null,
    }),
  ],
  ['blocked,REASON (OTHER)', (_, word) => ({ promptBlocked: word ?? 'OTHER' })],
  ['length', { ending: 'length' }],
  ['finish,NAME', (_, word) => ({ finishReason: word })],
  ['model,NAME', (_, word) => ({ modelName: word })],
  ['second-start,EVENTS (4)', ([events = 4]) => ({ secondStartAfter: events })],
  ['two-finishes', { finishesTwice: true }],
  ['cached,N (8)', ([tokens = 8]) => ({ cachedTokens: tokens })],
  ['cache-write,N (8)', ([tokens = 8]) => ({ cacheWriteTokens: tokens })],
  ['reasoning,N (16)', ([tokens = 16]) => ({ reasoningTokens: tokens })],
  ['thinking,N (1)', ([thoughts = 1]) => ({ thoughts, redactsThoughts: false })],
  ['redacted-thinking,N (1)', ([thoughts = 1]) => ({ thoughts, redactsThoughts: true })],
  ['search,N (1)', ([searches = 1]) => ({ searches })],
  ['wrong-enum', { forcedSpecialty: 'Not A Published Specialty' }],
  ['answer,NAME', (_, word) => ({ forcedSpecialty: word })],
  ['vary,K (2)', ([samples = 2]) => ({ varyingSamples: samples })],
  ['obey', (_, word) => ({ obey: word === 'anything' ? 'anything' : 'within-list' })],
]

const CHANGES: ReadonlyMap<string, Change | Partial<EmulatorPlan>> = new Map(
  BEHAVIOURS.map(([usage, change]) => [usage.split(/[ ,]/)[0] ?? '', change]),
)

export type ParsedPlan = { ok: true; plan: EmulatorPlan } | { ok: false; problem: string }

/**
 * Reads a specification such as `slow,200+crlf`. `+` separates behaviours, and `,` separates arguments. Whole numbers are used in
 * order. At most one other argument is a word, in which `,`, `+` and `/` are percent-encoded.
 */
export function parseBehaviours(specification: string, base: EmulatorPlan = PLAIN_PLAN): ParsedPlan {
  const plan = { ...base }
  for (const item of specification.split('+')) {
    const [name = '', ...rest] = item.split(',').map((part) => part.trim())
    const change = CHANGES.get(name) ?? (/^[45]\d\d$/.test(name) ? failWith(Number(name)) : undefined)
    if (change === undefined) return { ok: false, problem: `unknown behaviour: ${name.slice(0, 40)}` }
    const numbers = rest.filter((argument) => /^\d+$/.test(argument)).map(Number)
    const words = rest.filter((argument) => !/^\d+$/.test(argument))
    if (words.length > 1 || numbers.length > 2) return { ok: false, problem: `too many arguments: ${name}` }
    const word = words[0] === undefined ? null : decodeWord(words[0])
    Object.assign(plan, typeof change === 'function' ? change(numbers, word) : change)
  }
  return { ok: true, plan }
}

function decodeWord(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
