// Builds the state in memory from the object's database: the newest snapshot and the events after it. Events of the minutes
// before the snapshot restore what a small snapshot leaves out. Events are read in the order in which they came.
import { EntriesStore, type EventRow } from './entries.store.ts'
import { appendLeaf, EMPTY_FRONTIER, frontierFromBytes, type Frontier } from '../../evidence/tree/frontier.ts'
import { CallsWithoutEntryStore, type CallWithoutEntry, type BetweenEntries } from './calls-without-entry.store.ts'
import { SnapshotsStore, type Snapshot } from './snapshots.store.ts'
import { RECORD_OUTCOMES } from '../../evidence/records/call-endings.ts'
import type { StateEvent } from './state/state-event.ts'
import { horizonMs, readSnapshot, restore } from './state/snapshot.ts'
import { applyToState, emptyState, type State } from './state/organisation-state.ts'
import { contentOf } from '../../evidence/entry.ts'
import { NamedSettingsSchema, fromNamedSettings } from '../../policies/organisation-settings.ts'
import { NamedPolicySchema, fromNamedPolicy } from '../../policies/document/policy-document.ts'
import { DAY_MS } from '../../platform/time.ts'
import { CoverageSchema, readCoverage, readCoverageColumn } from './state/coverage.ts'
import { ApprovalStepSchema } from './state/approval.schema.ts'
import { COST_CORRECTED, readCorrection } from './state/cost-correction.schema.ts'

/** The outcome in the row of an act that changed the settings. */
export const SETTINGS_CHANGED = 'settings'

/** The outcome in the row of an act that changed the policy. */
export const POLICY_CHANGED = 'policy'

export const eventOfCall = ({ at, keyId, ofGateway, outcome }: CallWithoutEntry): StateEvent => ({
  kind: 'call',
  at,
  keyId,
  ofGateway,
  outcome,
})

/** Makes the event of a row. Throws if this service cannot have written the row. */
export function eventOfEntry({
  position,
  kind,
  at,
  keyId,
  outcome,
  loop,
  microeur,
  settles,
  entry,
}: EventRow): StateEvent {
  switch (kind) {
    case 'chat_decision': {
      const decided = RECORD_OUTCOMES.find((one) => one === outcome)
      if (keyId === null || decided === undefined) throw new TypeError('a decision has a key and an outcome')
      return { kind, at, keyId, outcome: decided, loop, reservedMicroeur: microeur }
    }
    case 'referral_decision':
      if (keyId === null) throw new TypeError('a decision has a key')
      return { kind, at, keyId, outcome, reservedMicroeur: microeur }
    case 'settlement':
      if (settles === null || microeur === null) throw new TypeError('a settlement has a decision and a cost')
      return { kind, at, settles, costMicroeur: microeur, outcome: outcome === 'interrupted' ? outcome : 'settled' }
    case 'operator_act':
    case 'member_act':
      if (outcome === COST_CORRECTED) return correctionIn(entry, at)
      if (outcome === POLICY_CHANGED) return { kind: 'policy', at, policy: policyIn(entry) }
      return { kind: 'act', at, settings: outcome === SETTINGS_CHANGED ? settingsIn(entry) : null }
    case 'hour_counts':
      return { kind, at }
    case 'coverage': {
      const read = readCoverageColumn(outcome)
      if (read === null) return { kind: 'act', at, settings: null }
      return { kind, at, key: read.key, position, until: at + read.retentionDays * DAY_MS }
    }
    case 'approval':
      return { kind, at, step: ApprovalStepSchema().parse(contentOf(entry)) }
    case 'usage_closed':
    case 'referral_outcome':
    case 'concordance_closed':
    // A newer Worker may have written another kind, before a rollback.
    default:
      return { kind: 'act', at, settings: null }
  }
}

const settingsIn = (entry: Uint8Array) => fromNamedSettings(NamedSettingsSchema().parse(contentOf(entry)))

function correctionIn(entry: Uint8Array, at: number): StateEvent {
  const corrected = readCorrection(contentOf(entry))
  if (corrected === null) throw new TypeError('a correction has a call and its costs')
  const { counted_at, key_id: keyId, cost_microeur, before_microeur } = corrected
  const moreMicroeur = cost_microeur - before_microeur
  return { kind: 'cost_corrected', at, countedAt: Date.parse(counted_at), keyId, moreMicroeur }
}

const policyIn = (entry: Uint8Array) => fromNamedPolicy(NamedPolicySchema().parse(contentOf(entry)))

/** Reads the events from one place up to another, exclusive. */
function* eventsBetween(sql: SqlStorage, from: BetweenEntries, until: BetweenEntries): Iterable<StateEvent> {
  const calls = new CallsWithoutEntryStore(sql).list(from, until)[Symbol.iterator]()
  let call = calls.next()
  for (const row of new EntriesStore(sql).eventsFrom(from.before, until.before)) {
    for (; call.done !== true && call.value.before <= row.position; call = calls.next()) yield eventOfCall(call.value)
    yield eventOfEntry(row)
  }
  for (; call.done !== true; call = calls.next()) yield eventOfCall(call.value)
}

export type Memory = {
  readonly state: State
  /** The right edge of the log's tree, to which the next leaf is appended. */
  frontier: Frontier
  /** How many calls without an entry came since the last entry. */
  callsSince: number
  eventsSinceSnapshot: number
  /** The length of the newest snapshot's text, in characters. */
  savedLength: number
}

const BEGINNING: BetweenEntries = { before: 0, n: 0 }
export const END: BetweenEntries = { before: Number.MAX_SAFE_INTEGER, n: 0 }

export const placeOf = ({ state, callsSince }: Memory): BetweenEntries => ({ before: state.next, n: callsSince })

export function loadMemory(sql: SqlStorage): Memory {
  const snapshots = new SnapshotsStore(sql)
  const [newest, oldest] = [snapshots.find('newest'), snapshots.find('oldest')]
  const memory = newest === null ? null : fromSnapshot(newest)
  const from = memory === null ? BEGINNING : startOfHorizon(sql, memory)
  // The oldest snapshot is full. Rows before it may have been emptied or deleted.
  if (newest === null || memory === null || (oldest !== null && from.before < oldest.before)) {
    return replay(sql, oldest)
  }
  restore(memory.state, eventsBetween(sql, from, newest))
  return applyEventsUntil(sql, memory, END)
}

/** Builds the memory up to a place from a full snapshot and the events after it. Without a snapshot: from all events. */
export function replay(sql: SqlStorage, snapshot: Snapshot | null, until: BetweenEntries = END): Memory {
  const empty = { state: emptyState(), frontier: EMPTY_FRONTIER, callsSince: 0, eventsSinceSnapshot: 0, savedLength: 0 }
  return applyEventsUntil(sql, snapshot === null ? empty : fromSnapshot(snapshot), until)
}

/** Applies the events after what is in `memory`, up to a place. */
export function applyEventsUntil(sql: SqlStorage, memory: Memory, until: BetweenEntries): Memory {
  const from = placeOf(memory)
  for (const event of eventsBetween(sql, from, until)) applyEvent(memory, event)
  for (const hash of new EntriesStore(sql).hashesFrom(from.before, until.before)) {
    memory.frontier = appendLeaf(memory.frontier, hash)
  }
  return memory
}

export function applyEvent(memory: Memory, event: StateEvent): void {
  applyToState(memory.state, event)
  memory.callsSince = event.kind === 'call' ? memory.callsSince + 1 : 0
  memory.eventsSinceSnapshot += 1
}

function fromSnapshot({ n, state: text, coverage }: Snapshot): Memory {
  const { state, frontier } = readSnapshot(text)
  if (coverage !== null) state.coverage = readCoverage(CoverageSchema().parse(JSON.parse(coverage)))
  const edge = frontierFromBytes(Uint8Array.fromHex(frontier))
  return { state, frontier: edge, callsSince: n, eventsSinceSnapshot: 0, savedLength: text.length }
}

/** Returns the place after the last event that is too old for any window. */
function startOfHorizon(sql: SqlStorage, memory: Memory): BetweenEntries {
  const { state } = memory
  const until = state.clock.latest - horizonMs(state)
  const last = new EntriesStore(sql).lastAt(state.next, until)
  const afterCall = new CallsWithoutEntryStore(sql).lastAt(placeOf(memory), until) ?? BEGINNING
  return last === null || last < afterCall.before ? afterCall : { before: last + 1, n: 0 }
}
