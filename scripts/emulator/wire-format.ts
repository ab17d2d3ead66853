// The interface of a provider's format, and the shape of a refusal before a format gives it its own body.

import type { IncomingHttpHeaders } from 'node:http'
import type { Plan } from './plan.ts'
import type { Dialect } from '../../src/providers/catalogue.ts'
import type { Answer, JsonObject, Turn } from './turn.ts'

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
}

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

/** The emulated formats, by the names that the catalogue of models has for them. */
export type Format = Exclude<Dialect, 'perplexity-chat'>

export interface WireFormat {
  name: Format
  lineEnd: '\n' | '\r\n'
  answers: (path: string) => boolean
  /** The caller's key, from wherever this provider expects it. */
  key: (call: Pick<WireCall, 'headers' | 'query'>) => string | null
  /** The model named in the request; it may carry a behaviour suffix. */
  modelOf: (path: string, body: JsonObject) => string | null
  /** Reads what the answer depends on. Throws a ZodError where that cannot be read. */
  read: (call: WireCall, model: string) => Turn
  json: (turn: Turn, answer: Answer, plan: Plan) => JsonObject
  events: (turn: Turn, answer: Answer, plan: Plan) => Iterable<SseEvent>
  /** The body and headers of a refusal. */
  problem: (problem: WireProblem) => { headers: Record<string, string>; body: unknown; status?: number }
  /** The events by which a stream that began well ends in failure. */
  streamError: (plan: Plan) => SseEvent[]
  /** A keep-alive event of the format itself, where it has one. */
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

export function jsonEvent(value: unknown, name: string | null = null): SseEvent {
  return { name, data: JSON.stringify(value) }
}
