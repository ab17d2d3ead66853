// What every provider's format must be able to do. One instance for each dialect; server.ts knows them all by
// their paths.

import type { IncomingHttpHeaders } from 'node:http'
import type { Plan } from './plan.ts'
import type { Answer, JsonObject, ProviderId, Turn } from './turn.ts'

export interface SseEvent {
  /** The `event:` line, where the format has one. */
  name: string | null
  data: string
}

export interface WireCall {
  /** The path after the provider's prefix and any behaviour marker. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: JsonObject
  /** Model names this provider knows. */
  models: readonly string[]
}

/** A refusal before any answer; each format gives it its own body. */
export interface WireProblem {
  status: number
  message: string
  code: string | null
  /** The member at fault as the provider names it in a field of its own, where it has one. */
  param: string | null
  /** Google's word for what is wrong with `param`, in the error's details. */
  violation?: string
  /** The type of the error, where it is not what the status says. */
  type?: string
  /** Google's name for the quota that is used up, in the error's details. */
  quotaMetric?: string
  retryAfterSeconds?: number | null
  asArray?: boolean
}

export type ReadTurn = { ok: true; turn: Turn; framing: Framing } | { ok: false; problem: WireProblem }

/** How the answer is framed: one JSON value, events, or (Google without `alt=sse`) one JSON array sent in pieces. */
export type Framing = 'json' | 'sse' | 'json-array'

export interface WireFormat {
  provider: ProviderId
  lineEnd: '\n' | '\r\n'
  /** The caller's key, from wherever this provider expects it. */
  key: (call: { headers: IncomingHttpHeaders; query: URLSearchParams }) => string | null
  /** The model named in the request, before anything is checked; it may carry a behaviour suffix. */
  modelOf: (path: string, body: JsonObject) => string | null
  read: (call: WireCall, model: string) => ReadTurn
  json: (turn: Turn, answer: Answer, plan: Plan) => JsonObject
  events: (turn: Turn, answer: Answer, plan: Plan) => Iterable<SseEvent>
  /** The body and headers of a refusal. */
  problem: (problem: WireProblem) => { headers: Record<string, string>; body: unknown; status?: number }
  /** The events by which a stream that began well ends in failure. */
  streamError: (plan: Plan) => SseEvent[]
  /** A keep-alive event of the format itself, where it has one. */
  ping: SseEvent | null
  /** The request id header this provider sends. */
  requestIdHeader: string
}

export function problem(status: number, message: string, more: Partial<WireProblem> = {}): WireProblem {
  return { status, message: `Countersign emulator: ${message}`, code: null, param: null, ...more }
}

/** A problem whose message begins with the member that it is about, as Anthropic's and Google's do. */
export function problemAt(place: string, rule: string, more: Partial<WireProblem> = {}): WireProblem {
  return { ...problem(400, rule, more), message: `${place}: Countersign emulator: ${rule}` }
}

export function refuse(status: number, message: string, more: Partial<WireProblem> = {}): ReadTurn {
  return { ok: false, problem: problem(status, message, more) }
}

export function bearerKey(headers: IncomingHttpHeaders): string | null {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null
}

export function jsonEvent(value: unknown, name: string | null = null): SseEvent {
  return { name, data: JSON.stringify(value) }
}
