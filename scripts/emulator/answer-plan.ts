// The plan of an emulated answer: plain, or changed by behaviours (behaviours.ts). Its fields are grouped by what they change: the
// transport, the provider's wire format, the answer, or the reader of letters.

export type EmulatorPlan = typeof PLAIN_PLAN

/** A refusal in the provider's own words: a wrong member, a prompt that is too long, or an account without credit. */
export type RequestedRefusal = { kind: 'member'; status: number; member: string } | { kind: 'context' | 'quota' }
type Failure = { status: number; retryAfterSeconds: number | null; asArray: boolean }

export const PLAIN_PLAN = {
  // Instead of an answer
  failure: null as Failure | null,
  refusal: null as RequestedRefusal | null,
  htmlStatus: null as number | null,
  /** Where the request is redirected to, or null. */
  redirectTo: null as string | null,
  hold: null as 'before-headers' | 'after-headers' | null,
  waitsForRelease: false,

  // Transport
  headerDelayMs: 0,
  bodyDelayMs: 0,
  gapMs: 0,
  pause: null as { afterEvents: number; ms: number } | null,
  cutAfter: null as number | null,
  truncateAfter: null as number | null,
  errorAfter: null as number | null,
  /** The form of the error. `content`: an error by the provider's content rules. */
  errorAs: null as 'array' | 'content' | null,
  malformedAfter: null as number | null,
  splitCharacters: false,
  crlf: false,
  comments: false,

  // Wire format
  usage: 'normal' as 'normal' | 'missing' | 'zero' | 'double',
  /** Sends counts as texts, or a number instead of the provider's cost object, or leaves the total of the input or the output out. */
  oddUsage: null as 'counts' | 'cost' | 'no-input' | 'no-output' | null,
  withoutCallIds: false,
  withoutArguments: false,
  /** The length of the pieces in which Google streams arguments, or null. */
  argumentPiece: null as number | null,
  empty: false,
  withoutRole: false,
  finishReason: null as string | null,
  promptBlocked: null as string | null,
  modelName: null as string | null,
  secondStartAfter: null as number | null,
  finishesTwice: false,

  // Answer
  /** Repeats the last user message. */
  echoes: false,
  textCharacters: null as number | null,
  ignoresLimit: false,
  pieceCharacters: 12,
  toolCalls: null as number | null,
  ending: null as 'refusal' | 'content_filter' | 'length' | null,
  /** The category of a refusal, by which Anthropic bills it, or null. */
  refusalCategory: null as string | null,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  thoughts: 0,
  redactsThoughts: false,
  searches: 0,

  // Reader
  varyingSamples: 0,
  obey: 'no' as 'no' | 'within-list' | 'anything',
  forcedSpecialty: null as string | null,
}
