// What the emulator will do to one request. A plan is the plain answer changed by the behaviours asked for
// (behaviours.ts); each field is read by exactly one layer: the answer, the format or the transport.

/** A refusal in words of the provider's own: of a member, of a prompt that is too long, of an account that is empty. */
export type AskedRefusal = { kind: 'member'; status: number; member: string } | { kind: 'context' | 'quota' }

export interface Plan {
  // Instead of an answer
  failure: { status: number; retryAfterSeconds: number | null; asArray: boolean } | null
  refusal: AskedRefusal | null
  htmlStatus: number | null
  hold: 'before-headers' | 'after-headers' | null
  waitsForRelease: boolean
  bodyDelayMs: number
  pause: { afterEvents: number; ms: number } | null

  // Transport
  headerDelayMs: number
  gapMs: number
  cutAfter: number | null
  truncateAfter: number | null
  errorAfter: number | null
  /** `content`: by the provider's rules on content. */
  errorAs: 'array' | 'content' | null
  malformedAfter: number | null
  splitCharacters: boolean
  crlf: boolean
  comments: boolean

  // Wire format
  usage: 'normal' | 'missing' | 'zero' | 'double'
  /** Counts as texts, or a number where a provider's costs are. */
  oddUsage: 'counts' | 'cost' | null
  withoutArguments: boolean
  /** At Google: streamed arguments in pieces of so many characters. */
  argumentPiece: number | null
  empty: boolean
  withoutRole: boolean
  finishReason: string | null
  promptBlocked: string | null
  modelName: string | null
  secondStartAfter: number | null
  finishesTwice: boolean

  // Answer
  /** Whether it says again what the last user message says. */
  echoes: boolean
  textCharacters: number | null
  pieceCharacters: number
  toolCalls: number | null
  ending: 'refusal' | 'content_filter' | 'length' | null
  /** At Anthropic, where it also says what is billed of a refusal. */
  refusalCategory: string | null
  cachedTokens: number
  cacheWriteTokens: number
  cachesByItself: boolean
  reasoningTokens: number
  thoughts: number
  redactsThoughts: boolean
  searches: number

  // Reader
  varyingSamples: number
  obey: 'no' | 'within-list' | 'anything'
  forcedSpecialty: string | null
}

export const PLAIN_PLAN: Plan = {
  failure: null,
  refusal: null,
  htmlStatus: null,
  hold: null,
  waitsForRelease: false,
  bodyDelayMs: 0,
  pause: null,
  headerDelayMs: 0,
  gapMs: 0,
  cutAfter: null,
  truncateAfter: null,
  errorAfter: null,
  errorAs: null,
  malformedAfter: null,
  splitCharacters: false,
  crlf: false,
  comments: false,
  usage: 'normal',
  oddUsage: null,
  withoutArguments: false,
  argumentPiece: null,
  empty: false,
  withoutRole: false,
  finishReason: null,
  promptBlocked: null,
  modelName: null,
  secondStartAfter: null,
  finishesTwice: false,
  echoes: false,
  textCharacters: null,
  pieceCharacters: 12,
  toolCalls: null,
  ending: null,
  refusalCategory: null,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cachesByItself: false,
  reasoningTokens: 0,
  thoughts: 0,
  redactsThoughts: false,
  searches: 0,
  varyingSamples: 0,
  obey: 'no',
  forcedSpecialty: null,
}
