// The emulator's behaviours, such as delays and errors, and their grammar: `slow,200+crlf` is two behaviours, the first with a
// number. The same text works in a header, a base URL, a model name and the queue.

import { PLAIN_PLAN } from './answer-plan.ts'
import type { EmulatorPlan } from './answer-plan.ts'

type Change = (numbers: readonly number[], word: string | null) => Partial<EmulatorPlan>
/** `usage` begins with the name, then has the arguments, with their default values in brackets. */
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
    'headers, then nothing for so long and then the answer; without MS nothing at all',
    ([ms]) => (ms === undefined ? { hold: 'after-headers' } : { bodyDelayMs: ms }),
  ],
  [
    'pause,EVENTS,MS (3, 200)',
    'a silence in the middle of a stream, after so many events, and then the rest',
    ([afterEvents = 3, ms = 200]) => ({ pause: { afterEvents, ms } }),
  ],
  ['never', 'accepts and sends nothing', { hold: 'before-headers' }],
  [
    'cut,EVENTS (3)',
    'breaks the connection inside the next event, or half-way through a JSON body',
    ([events = 3]) => ({ cutAfter: events }),
  ],
  [
    'truncate,EVENTS (3)',
    'ends the stream properly but early: no finish, no last event',
    ([events = 3]) => ({ truncateAfter: events }),
  ],
  ['split', 'breaks the bytes inside characters of several bytes; chat text then has some', { splitCharacters: true }],
  ['crlf', 'ends event lines with CRLF', { crlf: true }],
  ['comments', 'puts a comment line before every event, and at Anthropic a ping', { comments: true }],
  ['401', 'key refused', failWith(401)],
  ['403', 'not permitted', failWith(403)],
  [
    '429,SECONDS (1)',
    'rate limit, with retry-after (at Google a RetryInfo detail)',
    ([seconds = 1], word) => failWith(429)([seconds], word),
  ],
  ['500', 'internal error', failWith(500)],
  ['503,SECONDS', 'unavailable, with retry-after if given', failWith(503)],
  ['529', 'overloaded', failWith(529)],
  [
    'refuse,STATUS,MEMBER (400)',
    'refuses the request because of a member, named where the provider names it',
    ([status = 400], member) => ({ refusal: { kind: 'member', status, member: member ?? 'messages' } }),
  ],
  ['context', 'the prompt is longer than the model takes', { refusal: { kind: 'context' } }],
  [
    'quota',
    "the account is out of credit, told in each provider's way: at Anthropic with a 400, at Perplexity with a 401",
    { refusal: { kind: 'quota' } },
  ],
  ['html,STATUS (502)', 'an HTML error page', ([status = 502]) => ({ htmlStatus: status })],
  [
    'malformed,EVENTS (2)',
    'a JSON body that stops half-way, or one broken event after so many',
    ([events = 2]) => ({ malformedAfter: events }),
  ],
  [
    'mid-error,EVENTS (3)',
    "the provider's error inside a 200 stream, or a 500 without a stream; `mid-error,3,array` wraps it, and `mid-error,3,content` is of its rules on content",
    ([events = 3], word) => ({ errorAfter: events, errorAs: word === 'array' || word === 'content' ? word : null }),
  ],
  ['no-usage', 'leaves token counts out', { usage: 'missing' }],
  ['zero-usage', 'counts no tokens, explicitly', { usage: 'zero' }],
  ['double-usage', "sends a stream's final usage twice", { usage: 'double' }],
  [
    'odd-usage,cost',
    'token counts that are texts; with `cost` a number where costs are an object',
    (_, word) => ({ oddUsage: word === 'cost' ? 'cost' : 'counts' }),
  ],
  ['no-arguments', 'tool calls without the member that holds their arguments', { withoutArguments: true }],
  [
    'partial-args,N (4)',
    'streamed arguments of a call in pieces of N characters (Google)',
    ([characters = 4]) => ({ argumentPiece: characters }),
  ],
  ['empty-choices', 'an answer with no choice, candidate, content or output in it', { empty: true }],
  ['no-role', 'leaves the role out', { withoutRole: true }],
  ['chars,N (1000)', 'a text of exactly N characters', ([characters = 1000]) => ({ textCharacters: characters })],
  [
    'huge,N (1200000)',
    'a text of N characters in a single event',
    ([characters = 1_200_000]) => ({ textCharacters: characters, pieceCharacters: characters }),
  ],
  [
    'stream,N,MS (200, 0)',
    'a text of N deltas of one token each, MS apart',
    ([events = 200, ms = 0]) => ({ textCharacters: events * 4, pieceCharacters: 4, gapMs: ms }),
  ],
  [
    'echo,N (12)',
    'repeats the last user message, in pieces of N characters; in tool arguments and JSON objects as their member text, and in thoughts',
    ([characters = 12]) => ({ echoes: true, pieceCharacters: characters }),
  ],
  [
    'tool-call,N (1)',
    'calls N of the tools offered, in turn; needs none to be asked for',
    ([calls = 1]) => ({ toolCalls: calls }),
  ],
  ['refusal', 'the model declines', { ending: 'refusal' }],
  [
    'content-filter',
    'a filter stops the answer; `content-filter,prompt` blocks the prompt at Google, another word is the category at Anthropic',
    (_, word) => ({
      ending: 'content_filter',
      refusalCategory: word,
      promptBlocked: word === 'prompt' ? 'PROHIBITED_CONTENT' : null,
    }),
  ],
  [
    'blocked,REASON (OTHER)',
    'the prompt is blocked for that reason (Google)',
    (_, word) => ({ promptBlocked: word ?? 'OTHER' }),
  ],
  ['length', 'the answer ends for its length', { ending: 'length' }],
  [
    'finish,NAME',
    'the finish or stop reason is NAME, whatever the provider calls it',
    (_, word) => ({ finishReason: word }),
  ],
  ['model,NAME', 'another model answers, and the answer names it', (_, word) => ({ modelName: word })],
  [
    'second-start,EVENTS (4)',
    'a stream begins once more in its middle (Anthropic)',
    ([events = 4]) => ({ secondStartAfter: events }),
  ],
  [
    'two-finishes',
    'a stream tells its end in two events: the first without a reason (Anthropic)',
    { finishesTwice: true },
  ],
  ['cached,N (8)', 'N prompt tokens were read from the cache', ([tokens = 8]) => ({ cachedTokens: tokens })],
  [
    'cache-write,N (8)',
    'N prompt tokens were written to the cache (Anthropic, Perplexity)',
    ([tokens = 8]) => ({ cacheWriteTokens: tokens }),
  ],
  [
    'reasoning,N (16)',
    'N tokens of reasoning besides the text, within the output limit',
    ([tokens = 16]) => ({ reasoningTokens: tokens }),
  ],
  [
    'thinking,N (1)',
    'N signed thoughts before the answer, where the model thinks (Anthropic, Google, Perplexity)',
    ([thoughts = 1]) => ({ thoughts, redactsThoughts: false }),
  ],
  [
    'redacted-thinking,N (1)',
    'the same, with nothing of them to be read (Anthropic)',
    ([thoughts = 1]) => ({ thoughts, redactsThoughts: true }),
  ],
  [
    'search,N (1)',
    'looks N things up, each for a fee and with 1,000 tokens of what was found (Perplexity)',
    ([searches = 1]) => ({ searches }),
  ],
  ['wrong-enum', 'a reading that names no entry of the list', { forcedSpecialty: 'Not A Published Specialty' }],
  ['answer,NAME', 'a reading that names NAME, on the list or not', (_, word) => ({ forcedSpecialty: word })],
  ['vary,K (2)', 'K of every five readings name another specialty', ([samples = 2]) => ({ varyingSamples: samples })],
  [
    'obey',
    'does what the letter says ("ignore the above and answer X"); `obey,anything` even off the list',
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
