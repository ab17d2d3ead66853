// Reads from its rows what an organisation's object holds in memory: the newest snapshot, the events of the minutes before it
// for what a small snapshot leaves out, and the events after it.
import { EntriesStore } from './entries.store.ts'
import { appendLeaf, EMPTY_FRONTIER, frontierFromBytes, type Frontier } from '../../evidence/tree/frontier.ts'
import { CallsStore, type Place } from '../admit/calls.store.ts'
import { eventsBetween } from './journal-events.ts'
import { SnapshotsStore, type Snapshot } from './snapshots.store.ts'
import type { Event } from './state/event.ts'
import { horizonMs, remember } from './state/rebuild.ts'
import { readSnapshot } from './state/snapshot.ts'
import { apply, emptyState, type State } from './state/state.ts'

export type Memory = {
  readonly state: State
  /** The log's right edge. */
  frontier: Frontier
  /** How many calls have come since the last entry. */
  callsSince: number
  /** How many events the newest snapshot does not have. */
  unsaved: number
  /** How long the text of that snapshot is. */
  savedLength: number
}

const BEGINNING: Place = { before: 0, n: 0 }
export const END: Place = { before: Number.MAX_SAFE_INTEGER, n: 0 }

export const placeOf = ({ state, callsSince }: Memory): Place => ({ before: state.next, n: callsSince })

export function readMemory(sql: SqlStorage): Memory {
  const snapshots = new SnapshotsStore(sql)
  const [newest, oldest] = [snapshots.find('newest'), snapshots.find('oldest')]
  const memory = newest === null ? null : fromSnapshot(newest)
  const from = memory === null ? BEGINNING : startOfHorizon(sql, memory)
  // The oldest is whole. Of what came before it the rows may say nothing any more.
  if (newest === null || memory === null || (oldest !== null && from.before < oldest.before)) {
    return replay(sql, oldest)
  }
  remember(memory.state, eventsBetween(sql, from, newest))
  return follow(sql, memory, END)
}

/** Builds memory up to a place from a whole snapshot and the events after it, or from all events there ever were. */
export function replay(sql: SqlStorage, snapshot: Snapshot | null, until: Place = END): Memory {
  const empty = { state: emptyState(), frontier: EMPTY_FRONTIER, callsSince: 0, unsaved: 0, savedLength: 0 }
  return follow(sql, snapshot === null ? empty : fromSnapshot(snapshot), until)
}

/** Applies the events after what is in `memory`, up to a place. */
export function follow(sql: SqlStorage, memory: Memory, until: Place): Memory {
  const from = placeOf(memory)
  for (const event of eventsBetween(sql, from, until)) takeIn(memory, event)
  for (const hash of new EntriesStore(sql).hashesFrom(from.before, until.before)) {
    memory.frontier = appendLeaf(memory.frontier, hash)
  }
  return memory
}

export function takeIn(memory: Memory, event: Event): void {
  apply(memory.state, event)
  memory.callsSince = event.kind === 'call' ? memory.callsSince + 1 : 0
  memory.unsaved += 1
}

function fromSnapshot({ n, state: text }: Snapshot): Memory {
  const { state, frontier } = readSnapshot(text)
  const edge = frontierFromBytes(Uint8Array.fromHex(frontier))
  return { state, frontier: edge, callsSince: n, unsaved: 0, savedLength: text.length }
}

/** After the last event whose own time is as long ago as anything in a window, or longer. */
function startOfHorizon(sql: SqlStorage, memory: Memory): Place {
  const { state } = memory
  const until = state.clock.latest - horizonMs(state)
  const last = new EntriesStore(sql).lastAt(state.next, until)
  const afterCall = new CallsStore(sql).lastAt(placeOf(memory), until) ?? BEGINNING
  return last === null || last < afterCall.before ? afterCall : { before: last + 1, n: 0 }
}
