// The behaviours that can be asked for, by name, and the grammar that asks: `slow,200+crlf` is two of them, the
// first with a number. The same text works in a header, a base URL, a model name and the queue.

import { PLAIN_PLAN } from './plan.ts'
import type { Plan } from './plan.ts'

interface Behaviour {
  /** How it is written, with its arguments and what they are when left out. */
  usage: string
  effect: string
  change: (numbers: readonly number[], word: string | null) => Partial<Plan>
}

const failWith =
  (status: number): Behaviour['change'] =>
  ([seconds], word) => ({
    failure: { status, retryAfterSeconds: seconds ?? null, asArray: word === 'array' },
  })

export const BEHAVIOURS: Record<string, Behaviour> = {
  ok: { usage: 'ok', effect: 'the plain answer', change: () => ({}) },
  slow: {
    usage: 'slow,MS (200)',
    effect: 'waits before the headers',
    change: ([ms = 200]) => ({ headerDelayMs: ms }),
  },
  'until-released': {
    usage: 'until-released',
    effect: 'waits before the headers until POST /_emulator/release',
    change: () => ({ waitsForRelease: true }),
  },
  'slow-body': {
    usage: 'slow-body,MS (50)',
    effect: 'waits between events, or between quarters of a JSON body',
    change: ([ms = 50]) => ({ gapMs: ms }),
  },
  silent: {
    usage: 'silent,MS',
    effect: 'headers, then nothing for so long and then the answer; without MS nothing at all',
    change: ([ms]) => (ms === undefined ? { hold: 'after-headers' } : { bodyDelayMs: ms }),
  },
  pause: {
    usage: 'pause,EVENTS,MS (3, 200)',
    effect: 'a silence in the middle of a stream, after so many events, and then the rest',
    change: ([afterEvents = 3, ms = 200]) => ({ pause: { afterEvents, ms } }),
  },
  never: { usage: 'never', effect: 'accepts and sends nothing', change: () => ({ hold: 'before-headers' }) },
  cut: {
    usage: 'cut,EVENTS (3)',
    effect: 'breaks the connection inside the next event, or half-way through a JSON body',
    change: ([events = 3]) => ({ cutAfter: events }),
  },
  truncate: {
    usage: 'truncate,EVENTS (3)',
    effect: 'ends the stream properly but early: no finish, no last event',
    change: ([events = 3]) => ({ truncateAfter: events }),
  },
  split: {
    usage: 'split',
    effect: 'breaks the bytes inside characters of several bytes; chat text then has some',
    change: () => ({ splitCharacters: true }),
  },
  crlf: { usage: 'crlf', effect: 'ends event lines with CRLF', change: () => ({ crlf: true }) },
  comments: {
    usage: 'comments',
    effect: 'puts a comment line before every event, and at Anthropic a ping',
    change: () => ({ comments: true }),
  },
  401: { usage: '401', effect: 'key refused', change: failWith(401) },
  403: { usage: '403', effect: 'not permitted', change: failWith(403) },
  429: {
    usage: '429,SECONDS (1)',
    effect: 'rate limit, with retry-after (at Google a RetryInfo detail)',
    change: ([seconds = 1], word) => failWith(429)([seconds], word),
  },
  500: { usage: '500', effect: 'internal error', change: failWith(500) },
  503: { usage: '503,SECONDS', effect: 'unavailable, with retry-after if given', change: failWith(503) },
  529: { usage: '529', effect: 'overloaded', change: failWith(529) },
  refuse: {
    usage: 'refuse,STATUS,MEMBER (400)',
    effect: 'refuses the request because of a member, named where the provider names it',
    change: ([status = 400], member) => ({ refusal: { kind: 'member', status, member: member ?? 'messages' } }),
  },
  context: {
    usage: 'context',
    effect: 'the prompt is longer than the model takes',
    change: () => ({ refusal: { kind: 'context' } }),
  },
  quota: {
    usage: 'quota',
    effect:
      "the account is out of credit, told in each provider's way: at Anthropic with a 400, at Perplexity with a 401",
    change: () => ({ refusal: { kind: 'quota' } }),
  },
  html: {
    usage: 'html,STATUS (502)',
    effect: 'an HTML error page',
    change: ([status = 502]) => ({ htmlStatus: status }),
  },
  malformed: {
    usage: 'malformed,EVENTS (2)',
    effect: 'a JSON body that stops half-way, or one broken event after so many',
    change: ([events = 2]) => ({ malformedAfter: events }),
  },
  'mid-error': {
    usage: 'mid-error,EVENTS (3)',
    effect:
      "the provider's error inside a 200 stream, or a 500 without a stream; `mid-error,3,array` wraps it, and `mid-error,3,content` is of its rules on content",
    change: ([events = 3], word) => ({
      errorAfter: events,
      errorAs: word === 'array' || word === 'content' ? word : null,
    }),
  },
  'no-usage': { usage: 'no-usage', effect: 'leaves token counts out', change: () => ({ usage: 'missing' }) },
  'zero-usage': { usage: 'zero-usage', effect: 'counts no tokens, explicitly', change: () => ({ usage: 'zero' }) },
  'double-usage': {
    usage: 'double-usage',
    effect: "sends a stream's final usage twice",
    change: () => ({ usage: 'double' }),
  },
  'odd-usage': {
    usage: 'odd-usage,cost',
    effect: 'token counts that are texts; with `cost` a number where costs are an object',
    change: (_, word) => ({ oddUsage: word === 'cost' ? 'cost' : 'counts' }),
  },
  'no-arguments': {
    usage: 'no-arguments',
    effect: 'tool calls without the member that holds their arguments',
    change: () => ({ withoutArguments: true }),
  },
  'partial-args': {
    usage: 'partial-args,N (4)',
    effect: 'streamed arguments of a call in pieces of N characters (Google)',
    change: ([characters = 4]) => ({ argumentPiece: characters }),
  },
  'empty-choices': {
    usage: 'empty-choices',
    effect: 'an answer with no choice, candidate, content or output in it',
    change: () => ({ empty: true }),
  },
  'no-role': { usage: 'no-role', effect: 'leaves the role out', change: () => ({ withoutRole: true }) },
  chars: {
    usage: 'chars,N (1000)',
    effect: 'a text of exactly N characters',
    change: ([characters = 1000]) => ({ textCharacters: characters }),
  },
  huge: {
    usage: 'huge,N (1200000)',
    effect: 'a text of N characters in a single event',
    change: ([characters = 1_200_000]) => ({ textCharacters: characters, pieceCharacters: characters }),
  },
  stream: {
    usage: 'stream,N,MS (200, 0)',
    effect: 'a text of N deltas of one token each, MS apart',
    change: ([events = 200, ms = 0]) => ({ textCharacters: events * 4, pieceCharacters: 4, gapMs: ms }),
  },
  echo: {
    usage: 'echo,N (12)',
    effect:
      'repeats the last user message, in pieces of N characters; in tool arguments and JSON objects as their member text, and in thoughts',
    change: ([characters = 12]) => ({ echoes: true, pieceCharacters: characters }),
  },
  'tool-call': {
    usage: 'tool-call,N (1)',
    effect: 'calls N of the tools offered, in turn; needs none to be asked for',
    change: ([calls = 1]) => ({ toolCalls: calls }),
  },
  refusal: { usage: 'refusal', effect: 'the model declines', change: () => ({ ending: 'refusal' }) },
  'content-filter': {
    usage: 'content-filter',
    effect:
      'a filter stops the answer; `content-filter,prompt` blocks the prompt at Google, another word is the category at Anthropic',
    change: (_, word) => ({
      ending: 'content_filter',
      refusalCategory: word,
      promptBlocked: word === 'prompt' ? 'PROHIBITED_CONTENT' : null,
    }),
  },
  blocked: {
    usage: 'blocked,REASON (OTHER)',
    effect: 'the prompt is blocked for that reason (Google)',
    change: (_, word) => ({ promptBlocked: word ?? 'OTHER' }),
  },
  length: { usage: 'length', effect: 'the answer ends for its length', change: () => ({ ending: 'length' }) },
  finish: {
    usage: 'finish,NAME',
    effect: 'the finish or stop reason is NAME, whatever the provider calls it',
    change: (_, word) => ({ finishReason: word }),
  },
  model: {
    usage: 'model,NAME',
    effect: 'another model answers, and the answer names it',
    change: (_, word) => ({ modelName: word }),
  },
  'second-start': {
    usage: 'second-start,EVENTS (4)',
    effect: 'a stream begins once more in its middle (Anthropic)',
    change: ([events = 4]) => ({ secondStartAfter: events }),
  },
  'two-finishes': {
    usage: 'two-finishes',
    effect: 'a stream tells its end in two events: the first without a reason (Anthropic)',
    change: () => ({ finishesTwice: true }),
  },
  cached: {
    usage: 'cached,N (8)',
    effect: 'N prompt tokens were read from the cache',
    change: ([tokens = 8]) => ({ cachedTokens: tokens }),
  },
  'cache-write': {
    usage: 'cache-write,N (8)',
    effect: 'N prompt tokens were written to the cache (Anthropic, Perplexity)',
    change: ([tokens = 8]) => ({ cacheWriteTokens: tokens }),
  },
  'auto-cache': {
    usage: 'auto-cache',
    effect: 'caches long prompts as OpenAI and Google do without being asked',
    change: () => ({ cachesByItself: true }),
  },
  reasoning: {
    usage: 'reasoning,N (16)',
    effect: 'N tokens of reasoning besides the text, within the output limit',
    change: ([tokens = 16]) => ({ reasoningTokens: tokens }),
  },
  thinking: {
    usage: 'thinking,N (1)',
    effect: 'N signed thoughts before the answer, where the model thinks (Anthropic, Google, Perplexity)',
    change: ([thoughts = 1]) => ({ thoughts, redactsThoughts: false }),
  },
  'redacted-thinking': {
    usage: 'redacted-thinking,N (1)',
    effect: 'the same, with nothing of them to be read (Anthropic)',
    change: ([thoughts = 1]) => ({ thoughts, redactsThoughts: true }),
  },
  search: {
    usage: 'search,N (1)',
    effect: 'looks N things up, each for a fee and with 1,000 tokens of what was found (Perplexity)',
    change: ([searches = 1]) => ({ searches }),
  },
  'wrong-enum': {
    usage: 'wrong-enum',
    effect: 'a reading that names no entry of the list',
    change: () => ({ forcedSpecialty: 'Not A Published Specialty' }),
  },
  answer: {
    usage: 'answer,NAME',
    effect: 'a reading that names NAME, on the list or not',
    change: (_, word) => ({ forcedSpecialty: word }),
  },
  vary: {
    usage: 'vary,K (2)',
    effect: 'K of every five readings name another specialty',
    change: ([samples = 2]) => ({ varyingSamples: samples }),
  },
  obey: {
    usage: 'obey',
    effect: 'does what the letter says ("ignore the above and answer X"); `obey,anything` even off the list',
    change: (_, word) => ({ obey: word === 'anything' ? 'anything' : 'within-list' }),
  },
}

export type ParsedPlan = { ok: true; plan: Plan } | { ok: false; problem: string }

/**
 * Reads a specification such as `slow,200+crlf`. Behaviours are joined by `+`, arguments by `,`; whole numbers are
 * taken in order and at most one other argument is a word, percent-encoded where it holds `,`, `+` or `/`.
 */
export function parseBehaviours(specification: string, base: Plan = PLAIN_PLAN): ParsedPlan {
  const plan = { ...base }
  for (const item of specification.split('+')) {
    const [name = '', ...rest] = item.split(',').map((part) => part.trim())
    const behaviour = Object.hasOwn(BEHAVIOURS, name) ? BEHAVIOURS[name] : undefined
    const change = behaviour?.change ?? (/^[45]\d\d$/.test(name) ? failWith(Number(name)) : undefined)
    if (change === undefined) return { ok: false, problem: `unknown behaviour: ${name.slice(0, 40)}` }
    const numbers = rest.filter((argument) => /^\d+$/.test(argument)).map(Number)
    const words = rest.filter((argument) => !/^\d+$/.test(argument))
    if (words.length > 1 || numbers.length > 2) return { ok: false, problem: `too many arguments: ${name}` }
    const word = words[0] === undefined ? null : decodeWord(words[0])
    Object.assign(plan, change(numbers, word))
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
