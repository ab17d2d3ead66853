// The emulator's behaviours, such as delays and errors, and their grammar: `slow,200+crlf` is two behaviours, the first with a
// number. The same text works in a header, a base URL, a model name and the queue.

import { PLAIN_PLAN } from './answer-plan.ts'
import type { EmulatorPlan } from './answer-plan.ts'

type Change = (numbers: readonly number[], word: string | null) => Partial<EmulatorPlan>
/** `usage` begins with the name, then has the arguments, with their default values in brackets. `--behaviours` prints usage and effect. */
type Behaviour = readonly [usage: string, effect: string, change: Change | Partial<EmulatorPlan>]

const failWith =
  (status: number): Change =>
  ([seconds], word) => ({
    failure: { status, retryAfterSeconds: seconds ?? null, asArray: word === 'array' },
  })

export const BEHAVIOURS: readonly Behaviour[] = [
  ['ok', 'the plain answer', {}],
  ['slow,MS (200)', 'waits before the headers', ([ms = 200]) => ({ headerDelayMs: ms })],
  ['until-released', 'waits before the headers until POST /_emulator/release', { waitsForRelease: true }],
  ['slow-body,MS (50)', 'waits between events, or between quarters of a JSON body', ([ms = 50]) => ({ gapMs: ms })],
  [
    'silent,MS',
    'sends headers, then nothing; with MS the answer follows',
    ([ms]) => (ms === undefined ? { hold: 'after-headers' } : { bodyDelayMs: ms }),
  ],
  [
    'pause,EVENTS,MS (3, 200)',
    'stops a stream after so many events, then sends the rest',
    ([afterEvents = 3, ms = 200]) => ({ pause: { afterEvents, ms } }),
  ],
  ['never', 'accepts the request and sends nothing', { hold: 'before-headers' }],
  [
    'cut,EVENTS (3)',
    'breaks the connection inside the next event, or inside a JSON body',
    ([events = 3]) => ({ cutAfter: events }),
  ],
  ['truncate,EVENTS (3)', 'ends a stream or a JSON body early', ([events = 3]) => ({ truncateAfter: events })],
  ['split', 'breaks the bytes inside characters', { splitCharacters: true }],
  ['crlf', 'ends event lines with CRLF', { crlf: true }],
  ['comments', 'a comment before every event; at Anthropic also a ping', { comments: true }],
  ['401', 'that error; any status from 400 to 599 works', failWith(401)],
  ['403', 'that error', failWith(403)],
  ['429,SECONDS (1)', 'that error, with retry-after', ([seconds = 1], word) => failWith(429)([seconds], word)],
  ['500', 'that error', failWith(500)],
  ['503,SECONDS', 'that error, with retry-after; 503,array wraps Google’s in an array', failWith(503)],
  ['529', 'that error', failWith(529)],
  [
    'refuse,STATUS,MEMBER (400)',
    'refuses the request because of a member',
    ([status = 400], member) => ({ refusal: { kind: 'member', status, member: member ?? 'messages' } }),
  ],
  ['context', 'the prompt is longer than the model takes', { refusal: { kind: 'context' } }],
  ['quota', 'the account has no credit', { refusal: { kind: 'quota' } }],
  ['html,STATUS (502)', 'an HTML error page', ([status = 502]) => ({ htmlStatus: status })],
  ['redirect,URL', 'a redirect (307) to URL', (_, word) => ({ redirectTo: word })],
  [
    'malformed,EVENTS (2)',
    'a JSON body that stops early, or a broken event',
    ([events = 2]) => ({ malformedAfter: events }),
  ],
  [
    'mid-error,EVENTS (3)',
    'an error inside a 200 stream; array wraps Google’s; content: its rules on content',
    ([events = 3], word) => ({ errorAfter: events, errorAs: word === 'array' || word === 'content' ? word : null }),
  ],
  ['no-usage', 'no token counts', { usage: 'missing' }],
  ['zero-usage', 'token counts of 0', { usage: 'zero' }],
  ['double-usage', 'a stream’s usage twice', { usage: 'double' }],
  [
    'odd-usage,cost',
    'token counts that are texts; cost: a number as cost; no-input, no-output: without that total',
    (_, word) => ({ oddUsage: word === 'cost' || word === 'no-input' || word === 'no-output' ? word : 'counts' }),
  ],
  ['no-call-ids', 'tool calls without ids', { withoutCallIds: true }],
  ['no-arguments', 'tool calls without arguments', { withoutArguments: true }],
  [
    'partial-args,N (4)',
    'arguments of a call in pieces (Google)',
    ([characters = 4]) => ({ argumentPiece: characters }),
  ],
  ['empty-choices', 'an answer without a choice', { empty: true }],
  ['no-role', 'no role', { withoutRole: true }],
  ['chars,N (1000)', 'a text of N characters', ([characters = 1000]) => ({ textCharacters: characters })],
  [
    'huge,N (1200000)',
    'a text of N characters in one event',
    ([characters = 1_200_000]) => ({ textCharacters: characters, pieceCharacters: characters }),
  ],
  [
    'big,N (4000000)',
    'a text of N characters in pieces of 16,000, whatever the request’s limit',
    ([characters = 4_000_000]) => ({ textCharacters: characters, pieceCharacters: 16_000, ignoresLimit: true }),
  ],
  [
    'stream,N,MS (200, 0)',
    'N deltas of one token, MS apart',
    ([events = 200, ms = 0]) => ({ textCharacters: events * 4, pieceCharacters: 4, gapMs: ms }),
  ],
  [
    'echo,N (12)',
    'the last user message, in pieces of N characters',
    ([characters = 12]) => ({ echoes: true, pieceCharacters: characters }),
  ],
  ['tool-call,N (1)', 'calls N of the tools', ([calls = 1]) => ({ toolCalls: calls })],
  ['refusal', 'the model declines', { ending: 'refusal' }],
  [
    'content-filter',
    'a filter stops the answer; prompt blocks the prompt at Google',
    (_, word) => ({
      ending: 'content_filter',
      refusalCategory: word,
      promptBlocked: word === 'prompt' ? 'PROHIBITED_CONTENT' : null,
    }),
  ],
  ['blocked,REASON (OTHER)', 'the prompt is blocked (Google)', (_, word) => ({ promptBlocked: word ?? 'OTHER' })],
  ['length', 'the answer ends at its limit', { ending: 'length' }],
  ['finish,NAME', 'the finish reason is NAME', (_, word) => ({ finishReason: word })],
  ['model,NAME', 'the answer names another model', (_, word) => ({ modelName: word })],
  ['second-start,EVENTS (4)', 'a stream begins twice (Anthropic)', ([events = 4]) => ({ secondStartAfter: events })],
  ['two-finishes', 'a stream ends in two events (Anthropic)', { finishesTwice: true }],
  ['cached,N (8)', 'N prompt tokens from the cache', ([tokens = 8]) => ({ cachedTokens: tokens })],
  ['cache-write,N (8)', 'N prompt tokens written to the cache', ([tokens = 8]) => ({ cacheWriteTokens: tokens })],
  ['reasoning,N (16)', 'N reasoning tokens', ([tokens = 16]) => ({ reasoningTokens: tokens })],
  ['thinking,N (1)', 'N signed thoughts before the answer', ([thoughts = 1]) => ({ thoughts, redactsThoughts: false })],
  [
    'redacted-thinking,N (1)',
    'N thoughts without text (Anthropic)',
    ([thoughts = 1]) => ({ thoughts, redactsThoughts: true }),
  ],
  ['search,N (1)', 'N searches, each with a fee (Perplexity)', ([searches = 1]) => ({ searches })],
  ['wrong-enum', 'a reading that names nothing on the list', { forcedSpecialty: 'Not A Published Specialty' }],
  ['answer,NAME', 'a reading that names NAME', (_, word) => ({ forcedSpecialty: word })],
  ['vary,K (2)', 'K of five readings name the runner-up', ([samples = 2]) => ({ varyingSamples: samples })],
  [
    'obey',
    'does what the letter says; anything: also off the list',
    (_, word) => ({ obey: word === 'anything' ? 'anything' : 'within-list' }),
  ],
]

const CHANGES: ReadonlyMap<string, Change | Partial<EmulatorPlan>> = new Map(
  BEHAVIOURS.map(([usage, , change]) => [usage.split(/[ ,]/)[0] ?? '', change]),
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
