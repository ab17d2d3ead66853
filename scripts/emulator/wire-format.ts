// The interface of a provider's wire format in the emulator, with its refusals. Also helpers that several formats share.

import type { IncomingHttpHeaders } from 'node:http'
import type { EmulatorPlan } from './answer-plan.ts'
import type { Answer, JsonObject, ModelRequest } from './model-request.ts'
import { isObject } from './sample-json.ts'

export interface SseEvent {
  /** The `event:` line, or null if the format has none. */
  name: string | null
  data: string
}

export interface WireCall {
  /** The path after the provider's prefix and any behaviour marker. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: JsonObject
}

export interface WireProblem {
  status: number
  message: string
  code: string | null
  /** The wrong member, if the provider names it in a field of its own, or null. */
  param: string | null
  /** Google's description of what is wrong with `param`, in the error's details. */
  violation?: string
  /** The error's type, if it does not follow from the status. */
  type?: string
  /** Google's name for the quota that is used up, in the error's details. */
  quotaMetric?: string
  /** True for an error in AWS's own form, which has only a message. */
  isFromAws?: boolean
  retryAfterSeconds?: number | null
  asArray?: boolean
}

export interface WireFormat {
  lineEnd: '\n' | '\r\n'
  answers: (path: string) => boolean
  /** Returns the caller's key, from the header or parameter that this provider uses. */
  key: (call: Pick<WireCall, 'headers' | 'query'>) => string | null
  /** Returns the model named in the request, possibly with a behaviour suffix. */
  modelOf: (path: string, body: JsonObject) => string | null
  /** Reads the parts of the request that the answer depends on, or refuses it. Throws ZodError if they cannot be read. */
  read: (call: WireCall, model: string) => ModelRequest | WireProblem
  json: (turn: ModelRequest, answer: Answer, plan: EmulatorPlan) => JsonObject
  events: (turn: ModelRequest, answer: Answer, plan: EmulatorPlan) => Iterable<SseEvent>
  refusals: {
    /** An input that is longer than the model takes. */
    context: WireProblem
    /** An account without credit. At three of the providers the status has another meaning as well. */
    quota: WireProblem
    member: (status: number, member: string) => WireProblem
    key?: (key: string | null) => WireProblem
    /** The status for an unknown model, if it is not 404. */
    unknownModelStatus?: number
    /** Returns a refusal before the model is looked at, or null. `model` has no behaviour suffix. */
    first?: (call: Pick<WireCall, 'headers' | 'body'>, model: string) => WireProblem | null
    /** A conversation that can be read and is not taken, or null. */
    conversation?: (body: JsonObject, model: string) => WireProblem | null
  }
  /** The answer to a path that the provider does not have, with the status 200, if it has one. */
  unknownPath?: JsonObject
  /** Returns the body and headers of a refusal. */
  problem: (problem: WireProblem) => { headers: Record<string, string>; body: unknown; status?: number }
  /** Returns the events of a stream that began well and then fails. */
  streamError: (plan: EmulatorPlan) => SseEvent[]
  /** The members that behaviours change or remove. */
  members: {
    usage: string
    /** The totals of input and output in it. */
    input: string
    output: string
    /** The arguments of a call, whole or in pieces. */
    arguments: readonly string[]
    /** True for the id of a call. `holder` is the object that it is in. */
    isCallId: (name: string, holder: JsonObject) => boolean
  }
  /** The format's own keep-alive event, or null if it has none. */
  ping: SseEvent | null
  requestIdHeader: string
}

export function problem(status: number, message: string, more: Partial<WireProblem> = {}): WireProblem {
  return { status, message: `Countersign emulator: ${message}`, code: null, param: null, ...more }
}

export function retryAfter({ retryAfterSeconds }: WireProblem): Record<string, string> {
  return typeof retryAfterSeconds === 'number' ? { 'retry-after': `${retryAfterSeconds}` } : {}
}

export function bearerKey({ headers }: Pick<WireCall, 'headers'>): string | null {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null
}

export function modelInBody(_path: string, body: JsonObject): string | null {
  return typeof body['model'] === 'string' ? body['model'] : null
}

export const objectsIn = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** The text of a refusal that a behaviour asks for. */
export const ON_REQUEST = 'refused on request'

const PROMPT_TOKENS = 250_000
const MOST_TOKENS = 200_000

/** A prompt that is too long, and how long one may be, in tokens. */
export const TOO_LONG = { prompt: PROMPT_TOKENS, most: MOST_TOKENS }
export const TOO_LONG_TEXT = `${PROMPT_TOKENS} tokens of input, of ${MOST_TOKENS} at most`
export const NO_CREDIT = 'the account has no credit left'

/** The id of a call that has its function beside it. */
export const isIdOfFunction = (name: string, { function: called }: JsonObject): boolean =>
  name === 'id' && isObject(called)

export function jsonEvent(value: unknown, name: string | null = null): SseEvent {
  return { name, data: JSON.stringify(value) }
}
