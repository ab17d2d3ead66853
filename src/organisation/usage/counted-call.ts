// Reads calls from entries of the log, as far as calls are counted: the decision about one, and what ended it. Pure. An
// entry that says nothing of this is passed over; one that cannot be read is reported.
import type { KeptEntry } from '../journal/archive-object.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { utcDay } from '../../platform/time.ts'
import { isJsonObject, readJson, type JsonObject } from '../../platform/json.ts'

/** How a call ended. Their numbers, from 1 in this order, are in the database: a new one comes last. */
export const ENDINGS = ['completed', 'failed', 'cancelled', 'interrupted', 'cached', 'blocked', 'suppressed'] as const
export type Ending = (typeof ENDINGS)[number]

/** Whom and what a call is counted for. Null where its request names none. */
export type Subject = { keyId: string | null; model: string; useCase: string | null; cohort: string | null }

/** `at`: the time in its record, in milliseconds. */
export type Decided = Subject & { position: number; at: number; reserveMicroeur: number }

/** The sums, under the names of their columns. Each token is in one of the five only. */
export const SUM_NAMES = [
  'requests',
  // Calls whose tokens, and so whose cost, are estimated.
  'estimated',
  // Calls that were completed by a model's refusal to answer.
  'refused',
  'input',
  'cache_read',
  'cache_write',
  'output',
  'reasoning',
  'cost_microeur',
  'prevented_microeur',
  // Milliseconds at the provider, of the calls that are `timed`.
  'upstream_ms',
  'timed',
] as const

export type Sums = Record<(typeof SUM_NAMES)[number], number>

export const NO_SUMS: Readonly<Sums> = {
  requests: 0,
  estimated: 0,
  refused: 0,
  input: 0,
  cache_read: 0,
  cache_write: 0,
  output: 0,
  reasoning: 0,
  cost_microeur: 0,
  prevented_microeur: 0,
  upstream_ms: 0,
  timed: 0,
}

export type Ended = { ending: Ending; sums: Sums }

/** The entry that closed a day. `day`: whole UTC days since the epoch; `sha256`: of its rows, in hexadecimal. */
export type ClosedDay = { day: number; requests: number; sha256: string }

export type ReadEntry =
  /** A call that goes on until it is settled. */
  | { kind: 'admitted'; decided: Decided }
  | { kind: 'refused'; decided: Decided; ended: Ended }
  /** `settles`: the position of a decision, of a call or of something else. */
  | { kind: 'settled'; settles: number; ended: Ended }
  | ({ kind: 'closed' } & ClosedDay)
  | { kind: 'other' }
  | { kind: 'unreadable' }

const OTHER: ReadEntry = { kind: 'other' }
const UNREADABLE: ReadEntry = { kind: 'unreadable' }

export function readEntry({ position, kind, entry, facts }: KeptEntry): ReadEntry {
  switch (kind) {
    case RECEIPT_KIND:
      return readDecision(position, contentOf(entry), objectIn(facts))
    case 'settlement':
      return readSettlement(contentOf(entry))
    case 'usage_closed':
      return readClosing(contentOf(entry))
    default:
      return OTHER
  }
}

function readDecision(position: number, record: JsonObject, facts: JsonObject): ReadEntry {
  const at = Date.parse(textIn(record, 'timestamp') ?? '')
  const model = textIn(record, 'model')
  if (model === null || !Number.isSafeInteger(at)) return UNREADABLE
  const decided: Decided = {
    position,
    at,
    model,
    keyId: textIn(facts, 'key_id'),
    useCase: textIn(facts, 'use_case'),
    cohort: textIn(facts, 'cohort'),
    reserveMicroeur: numberIn(facts, 'reserve_microeur') ?? 0,
  }
  const prevented = Number(record['cost_prevented_eur'])
  const sums = { ...NO_SUMS, requests: 1, prevented_microeur: Math.round(prevented * MICROEUR_PER_EUR) }
  switch (record['outcome']) {
    case 'ALLOWED':
      return { kind: 'admitted', decided }
    case 'BLOCKED':
      return { kind: 'refused', decided, ended: { ending: 'blocked', sums } }
    case 'SUPPRESSED':
      return { kind: 'refused', decided, ended: { ending: 'suppressed', sums } }
    default:
      return UNREADABLE
  }
}

const MICROEUR_PER_EUR = 1_000_000

function readSettlement(content: JsonObject): ReadEntry {
  const settles = numberIn(content, 'settles')
  const ending = ENDINGS.find((one) => one === content['ended'])
  if (settles === null) return UNREADABLE
  // A reading's settlement has no `ended`.
  if (ending === undefined) return OTHER
  const usage = isJsonObject(content['usage']) ? content['usage'] : {}
  const tokens = (name: string): number => numberIn(usage, name) ?? 0
  const upstreamMs = numberIn(content, 'upstream_ms')
  const sums = {
    ...NO_SUMS,
    requests: 1,
    estimated: content['estimated'] === true ? 1 : 0,
    refused: ending === 'completed' && REFUSALS.has(content['finish_reason']) ? 1 : 0,
    input: tokens('input_uncached'),
    cache_read: tokens('cache_read'),
    cache_write: tokens('cache_write') + tokens('cache_write_hour'),
    output: tokens('output_visible'),
    reasoning: tokens('reasoning'),
    cost_microeur: numberIn(content, 'cost_microeur') ?? 0,
    upstream_ms: upstreamMs ?? 0,
    timed: upstreamMs === null ? 0 : 1,
  }
  return { kind: 'settled', settles, ended: { ending, sums } }
}

function readClosing(content: JsonObject): ReadEntry {
  const at = Date.parse(textIn(content, 'day') ?? '')
  const [requests, sha256] = [numberIn(content, 'requests'), textIn(content, 'sha256')]
  if (Number.isNaN(at) || requests === null || sha256 === null) return UNREADABLE
  return { kind: 'closed', day: utcDay(at), requests, sha256 }
}

const REFUSALS: ReadonlySet<unknown> = new Set(['content_filter', 'refusal'])

/** Ends a call of which nothing more is known as one that was cut off, at the cost that was reserved. */
export const endedUnknown = ({ reserveMicroeur }: Pick<Decided, 'reserveMicroeur'>): Ended => ({
  ending: 'interrupted',
  sums: { ...NO_SUMS, requests: 1, estimated: 1, cost_microeur: reserveMicroeur },
})

const contentOf = (entry: Uint8Array): JsonObject => objectIn(contentTextOf(entry).content)

function objectIn(text: string | null): JsonObject {
  const value = readJson(text ?? '')
  return isJsonObject(value) ? value : {}
}

function textIn(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'string' ? value : null
}

function numberIn(object: JsonObject, name: string): number | null {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
