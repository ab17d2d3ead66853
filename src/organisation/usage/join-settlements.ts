// Reads log entries in order, joins each decision with its settlement, and counts the call when it has ended. A request that waits
// for a person is joined with what came of it: it counts once, as the run that was approved, or as denied, expired or withdrawn.
// Used by the steps of usage-counter.ts, and by check-usage.ts, which counts again. Pure.
import { dataRegionOf } from '../../platform/data-region.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { utcDay } from '../../platform/time.ts'
import { indexNumberOf, settledEndingOf, type Ending } from '../../evidence/records/call-endings.ts'
import { NO_SUMS, type CountedCall, type Ended, type CallSubject, type DayRow, type Sums } from './tally.ts'
import { ApprovalStepSchema } from '../journal/state/approval.schema.ts'
import { endStateOf } from '../journal/state/approvals.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { isJsonObject, readJsonObject, type JsonObject } from '../../platform/json.ts'
import { toMicroeur } from '../../platform/money.ts'
import { readCorrection } from '../journal/state/cost-correction.schema.ts'

/** Why a call did not run. `rule`: the policy rule that decided. `policyVersion`: null if the organisation had no policy. */
export type Refusal = { rule: string | null; reason: string | null; policyVersion: number | null }

/**
 * `at`: the time in its record, in milliseconds. `approval`: the id of the approval that it waits for, or runs with; null if none.
 * `preventedMicroeur`: the cost that its refusal prevents.
 */
type DecidedCall = CallSubject & {
  position: number
  at: number
  reserveMicroeur: number
  preventedMicroeur: number
  approval: string | null
  /** Null for a call that was allowed, and for one whose refusal is in the call index already. */
  refusal: Refusal | null
}

/** A call as the call index has it, from its decision or its end. `settlement`: the position of the entry that settles it. */
export type IndexedCall = Pick<CountedCall, 'position' | 'at' | 'keyId' | 'model' | 'useCase' | 'ending'> &
  Refusal & { settlement: number | null; expiresAt: number }

/** The entry that closed a day. `day`: whole UTC days since the epoch; `sha256`: of its rows, in hexadecimal. */
export type ClosedDay = { day: number; requests: number; sha256: string }

type ReadEntry =
  /** A call that runs until it is settled. */
  | { kind: 'admitted'; decided: DecidedCall }
  /** A refusal that waits for a person. */
  | { kind: 'waiting'; decided: DecidedCall; approval: string }
  /** The end of an approval. `ending`: of a call that still waits for it; null if its call ran. */
  | { kind: 'approval_ended'; approval: string; ending: Ending | null }
  | { kind: 'refused'; decided: DecidedCall; ended: Ended }
  /**
   * `settles`: the position of the decision that it ends, about a call or about something else. `cause`: why a call failed. `model`: the
   * one that was asked, if the request names another.
   */
  | { kind: 'settled'; settles: number; ended: Ended; cause: string | null; model: string | null }
  /** The cost of a call that was counted before. */
  | { kind: 'corrected'; row: DayRow }
  | ({ kind: 'closed' } & ClosedDay)
  | { kind: 'other' }
  | { kind: 'unreadable' }

const OTHER: ReadEntry = { kind: 'other' }
const UNREADABLE: ReadEntry = { kind: 'unreadable' }

export const readEntry = ({ position, kind, entry, facts }: StoredEntry): ReadEntry =>
  readContent({ position, kind, content: readJsonObject(contentTextOf(entry).content), facts: readJsonObject(facts) })

/** The parts of an entry, as an export has them too. */
type EntryParts = { position: number; kind: string; content: JsonObject; facts: JsonObject }

/** Reads an entry. Returns `other` if it does not concern a call, and `unreadable` if it cannot be read. */
export function readContent({ position, kind, content, facts }: EntryParts): ReadEntry {
  switch (kind) {
    case RECEIPT_KIND:
      return readDecision(position, content, facts)
    case 'settlement':
      return readSettlement(content)
    case 'approval':
      return readApprovalStep(content)
    case 'usage_closed':
      return readClosing(content)
    case 'member_act':
      return readAct(content)
    default:
      return OTHER
  }
}

function readDecision(position: number, record: JsonObject, facts: JsonObject): ReadEntry {
  const at = Date.parse(textIn(record, 'timestamp') ?? '')
  const model = textIn(record, 'model')
  if (model === null || !Number.isSafeInteger(at)) return UNREADABLE
  const decided: DecidedCall = {
    position,
    at,
    model,
    keyId: textIn(facts, 'key_id'),
    useCase: textIn(facts, 'use_case'),
    cohort: textIn(facts, 'cohort'),
    reserveMicroeur: numberIn(facts, 'reserve_microeur') ?? 0,
    preventedMicroeur: toMicroeur(Number(record['cost_prevented_eur'])),
    approval: textIn(facts, 'approval_id'),
    refusal: record['outcome'] === 'ALLOWED' ? null : readRefusal(record, facts),
  }
  switch (record['outcome']) {
    case 'ALLOWED':
      return { kind: 'admitted', decided }
    case 'BLOCKED':
      return decided.approval === null
        ? { kind: 'refused', decided, ended: endAsRefused(decided, 'blocked') }
        : { kind: 'waiting', decided, approval: decided.approval }
    case 'SUPPRESSED':
      return { kind: 'refused', decided, ended: endAsRefused(decided, 'suppressed') }
    default:
      return UNREADABLE
  }
}

export function readRefusal(record: JsonObject, facts: JsonObject): Refusal {
  const rules: unknown = record['policy_applied']
  const [rule] = Array.isArray(rules) ? (rules as unknown[]) : []
  return {
    rule: typeof rule === 'string' ? rule : null,
    reason: textIn(facts, 'reason'),
    policyVersion: numberIn(facts, 'policy_version'),
  }
}

function readApprovalStep(content: JsonObject): ReadEntry {
  const step = ApprovalStepSchema().safeParse(content).data
  if (step === undefined) return UNREADABLE
  const state = endStateOf(step)
  if (state === null) return OTHER
  return { kind: 'approval_ended', approval: step.approval_id, ending: state === 'executed' ? null : state }
}

function readSettlement(content: JsonObject): ReadEntry {
  const settles = numberIn(content, 'settles')
  if (settles === null) return UNREADABLE
  // A reading's settlement has no `ended`.
  if (content['ended'] === undefined) return OTHER
  const ending = settledEndingOf(content['ended'])
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
    ...countRouted(content, ending),
  }
  return {
    kind: 'settled',
    settles,
    ended: { ending, sums },
    cause: textIn(content, 'error_cause'),
    model: textIn(content, 'model'),
  }
}

/** Counts a call by the region of its route. An interrupted call may have been sent by any route. */
function countRouted({ route, places }: JsonObject, ending: Ending): Partial<Sums> {
  if (typeof route !== 'string') return ending === 'interrupted' ? { routed_any: 1 } : {}
  return { [`routed_${dataRegionOf(Array.isArray(places) ? places.map(String) : null)}`]: 1 }
}

function readAct(content: JsonObject): ReadEntry {
  const corrected = readCorrection(content)
  if (corrected === null) return OTHER
  const {
    decided_at,
    key_id: keyId,
    model,
    use_case: useCase,
    cost_microeur,
    before_microeur,
    was_estimated,
  } = corrected
  const day = utcDay(Date.parse(decided_at))
  const sums = { ...NO_SUMS, cost_microeur: cost_microeur - before_microeur, estimated: was_estimated ? -1 : 0 }
  return { kind: 'corrected', row: { day, keyId, model, useCase, ending: 'interrupted', sums } }
}

function readClosing(content: JsonObject): ReadEntry {
  const at = Date.parse(textIn(content, 'day') ?? '')
  const [requests, sha256] = [numberIn(content, 'requests'), textIn(content, 'sha256')]
  if (Number.isNaN(at) || requests === null || sha256 === null) return UNREADABLE
  return { kind: 'closed', day: utcDay(at), requests, sha256 }
}

const REFUSALS: ReadonlySet<unknown> = new Set(['content_filter', 'refusal'])

export const endAsRefused = ({ preventedMicroeur }: Pick<DecidedCall, 'preventedMicroeur'>, ending: Ending): Ended => ({
  ending,
  sums: { ...NO_SUMS, requests: 1, prevented_microeur: preventedMicroeur },
})

/** Ends a call without a known settlement as interrupted, at the cost that was reserved. */
export const endAsInterrupted = ({ reserveMicroeur }: Pick<DecidedCall, 'reserveMicroeur'>): Ended => ({
  ending: 'interrupted',
  sums: { ...NO_SUMS, requests: 1, estimated: 1, cost_microeur: reserveMicroeur, routed_any: 1 },
})

function textIn(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'string' ? value : null
}

function numberIn(object: JsonObject, name: string): number | null {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/**
 * A call that is not settled yet, or waits for a person. `day`: the day on which it will count. `approval`: the approval that it
 * waits for; null if it runs.
 */
export type OpenCall = DecidedCall & { day: number }

type OpenCalls = {
  insert(call: OpenCall): void
  /** Removes and returns the open call at a position; null if there is none. */
  take(position: number): OpenCall | null
  /** Removes and returns the call that waits for an approval; null if there is none. */
  takeWaiting(approval: string): OpenCall | null
}

type Parts = {
  open: OpenCalls
  /** Called for every call when it has ended. */
  count: (call: CountedCall) => void
  /** Called for every correction of a cost. */
  correct: (row: DayRow) => void
  /** Called for every decision that is counted as no call of its own. */
  countFurtherRecord: (decision: Pick<CountedCall, 'day' | 'position'>) => void
  /** Called when a call is to be in the call index, and again when its ending changes. */
  index: (call: IndexedCall) => void
  /** Called when the call at a position is no call of its own any more. */
  unindex: (position: number) => void
  /** Called for every day when it is closed: nothing counts on it later. */
  close?: (closed: ClosedDay) => void
  /** The last day that nothing may be added to; -1 for none. */
  closedThrough: number
  /** The name that a use case is counted under. */
  nameUseCase: (useCase: string) => string
}

type JoinedEntry = Pick<StoredEntry, 'kind' | 'position' | 'expiresAt'>

export class SettlementJoiner {
  readonly #parts: Parts
  #closedThrough: number
  /** Entries that should record a call and could not be read. */
  unreadable = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#closedThrough = parts.closedThrough
  }

  /** Adds an entry. Call it in the order of the log. */
  add(entry: StoredEntry): void {
    this.addRead(readEntry(entry), entry)
  }

  addRead(read: ReadEntry, entry: JoinedEntry): void {
    switch (read.kind) {
      case 'admitted': {
        const { approval } = read.decided
        const waited = approval === null ? null : this.#parts.open.takeWaiting(approval)
        if (waited !== null) this.#mergeIntoRun(waited)
        this.#parts.open.insert({ ...this.#place(read.decided), approval: null })
        return
      }
      case 'waiting': {
        const waiting = this.#parts.open.takeWaiting(read.approval)
        const decision = this.#place(read.decided)
        this.#parts.open.insert(waiting ?? decision)
        if (waiting === null) this.#index(decision, 'awaiting_approval', entry)
        else this.#parts.countFurtherRecord(decision)
        return
      }
      case 'approval_ended': {
        const waiting = this.#parts.open.takeWaiting(read.approval)
        if (waiting !== null && read.ending !== null) this.#end(waiting, endAsRefused(waiting, read.ending), entry)
        return
      }
      case 'refused':
        this.#end(this.#place(read.decided), read.ended, entry)
        return
      case 'settled': {
        const call = this.#parts.open.take(read.settles)
        if (call !== null) this.#end({ ...call, model: read.model ?? call.model }, read.ended, entry, read.cause)
        return
      }
      case 'corrected':
        this.#parts.correct(read.row)
        return
      case 'closed':
        this.#closedThrough = Math.max(this.#closedThrough, read.day)
        this.#parts.close?.(read)
        return
      case 'unreadable':
        this.unreadable += 1
        return
      case 'other':
    }
  }

  /** Decides the day on which a call counts: the day in its record or, if that is closed, the first open day. */
  #place({ useCase, ...decided }: DecidedCall): OpenCall {
    const day = Math.max(utcDay(decided.at), this.#closedThrough + 1)
    return { ...decided, useCase: useCase && this.#parts.nameUseCase(useCase), day }
  }

  #end(call: OpenCall, ended: Ended, entry: JoinedEntry, cause: string | null = null): void {
    this.#parts.count({ ...call, ...ended })
    if (indexNumberOf(ended.ending) !== null) this.#index(call, ended.ending, entry, cause)
  }

  /** @param cause of a failure, a word of a closed list */
  #index(
    call: OpenCall,
    ending: Ending,
    { kind, position, expiresAt }: JoinedEntry,
    cause: string | null = null,
  ): void {
    const { at, keyId, model, useCase, refusal } = call
    const { rule = null, reason = cause, policyVersion = null } = refusal ?? {}
    const settlement = kind === 'settlement' ? position : null
    const indexed = { position: call.position, at, keyId, model, useCase, ending }
    this.#parts.index({ ...indexed, rule, reason, policyVersion, settlement, expiresAt })
  }

  #mergeIntoRun(waited: OpenCall): void {
    this.#parts.countFurtherRecord(waited)
    this.#parts.unindex(waited.position)
  }
}
