// Keeps what loop detection needs about each key: its latest requests, the times of each request hash, and its active loops. All
// of it is cleared when the thresholds change.
import {
  findLoops,
  holds,
  loopThresholds,
  MOST_RECENT,
  MOST_TIMES,
  NOTHING_SEEN,
  renewLoops,
  type ActiveLoop,
  type LoopThresholds,
  type SeenRequest,
  type SeenRequests,
} from '../../../policies/loops.policy.ts'
import { loopSettingsOf } from '../../../policies/rules/loop-guard.rule.ts'
import type { VersionedPolicy } from '../../../policies/document/policy-document.ts'
import type { VersionedSettings } from '../../../policies/organisation-settings.ts'
import type { StateEvent, EventClock } from './state-event.ts'

/**
 * `times`: the times of each request hash within the window, and of some before, ordered by the latest time. Old hashes are
 * dropped when there are more than `dropAt`.
 */
export type KeyLoops = {
  recent: SeenRequest[]
  times: Map<string, number[]>
  dropAt: number
  active: readonly ActiveLoop[]
}

const LEAST_DROP_AT = 64

/** `since`, `sincePolicy`: the versions of the settings and of the policy that last cleared `keys`. `keys`: by key id. */
export type Loops = { since: number; sincePolicy: number; keys: Map<string, KeyLoops> }

type ThresholdSources = { settings: VersionedSettings; policy: VersionedPolicy }

type LoopsState = ThresholdSources & { loops: Loops }

export const createLoops = (): Loops => ({ since: 0, sincePolicy: 0, keys: new Map() })

export const thresholdsOf = ({ settings, policy }: ThresholdSources): LoopThresholds =>
  loopThresholds(loopSettingsOf(policy.document.loop_guard, settings))

export const createKeyLoops = (): KeyLoops => ({
  recent: [],
  times: new Map(),
  dropAt: LEAST_DROP_AT,
  active: [],
})

/** Returns whether a key's request belongs to a loop. `at` is no earlier than the latest event. */
export const isLoop = (state: LoopsState, keyId: string, hash: string, at: number): boolean =>
  findLoops(thresholdsOf(state), seenOf(state.loops.keys.get(keyId), hash), { hash, at }).length > 0

/** Returns whether a request belongs to a loop that was already active, so its webhook was already sent. */
export const isActiveLoop = (state: LoopsState, keyId: string, hash: string, at: number): boolean => {
  const key = state.loops.keys.get(keyId)
  return key !== undefined && activeLoops(key, thresholdsOf(state), at).some(({ hashes }) => hashes.includes(hash))
}

/** Updates the loops by an event. Call it before the event's settings or policy are applied. */
export function applyLoops(state: LoopsState & { clock: EventClock }, event: StateEvent): void {
  const { loops, settings, policy, clock } = state
  if (event.kind === 'chat_decision' && event.loop !== null) {
    const request = { hash: event.loop, at: event.at }
    const key = ensureKey(loops, event.keyId)
    const thresholds = thresholdsOf(state)
    const foundLoops = findLoops(thresholds, seenOf(key, request.hash), request)
    key.active = renewLoops(thresholds, key.active, foundLoops, request)
    addRequest(key, request, thresholds)
  } else if (event.kind === 'act' && event.settings !== null) {
    if (hasSameThresholds(state, { settings: event.settings, policy })) return
    loops.since = event.settings.version
    loops.keys.clear()
  } else if (event.kind === 'policy') {
    if (hasSameThresholds(state, { settings, policy: event.policy })) return
    loops.sincePolicy = event.policy.version
    loops.keys.clear()
  } else if (event.kind === 'hour_counts') {
    const thresholds = thresholdsOf(state)
    for (const [keyId, key] of loops.keys) {
      dropOldRequests(key, thresholds, clock.latest)
      key.active = activeLoops(key, thresholds, clock.latest)
      if (key.recent.length + key.times.size + key.active.length === 0) loops.keys.delete(keyId)
    }
  }
}

/** Restores requests and their times, which small snapshots leave out. Settings and policy are those of the snapshot. */
export function restoreRequest(state: LoopsState, event: StateEvent): void {
  const { loops } = state
  if (event.kind === 'chat_decision' && event.loop !== null) {
    const request = { hash: event.loop, at: event.at }
    addRequest(ensureKey(loops, event.keyId), request, thresholdsOf(state))
  } else if (isClearingEvent(loops, event)) {
    for (const key of loops.keys.values()) Object.assign(key, { recent: [], times: new Map() })
  }
}

export function clampTimesOfLoops(state: LoopsState & { clock: EventClock }, at: number): void {
  const { loops, clock } = state
  clampRequests(state, clock.latest, at)
  const thresholds = thresholdsOf(state)
  for (const key of loops.keys.values()) {
    key.active = activeLoops(key, thresholds, clock.latest).map(({ hashes, lastAt }) => ({
      hashes,
      lastAt: Math.min(lastAt, at),
    }))
  }
}

/** Moves later times back to `at`. Requests and times that had left their window by `latest` stay out of it. */
export function clampRequests(state: LoopsState, latest: number, at: number): void {
  const thresholds = thresholdsOf(state)
  for (const key of state.loops.keys.values()) {
    dropOldRequests(key, thresholds, latest)
    key.recent = key.recent.map((request) => (request.at > at ? { hash: request.hash, at } : request))
    for (const [hash, times] of key.times) {
      key.times.set(
        hash,
        times.map((time) => Math.min(time, at)),
      )
    }
  }
}

export const activeLoops = ({ active }: KeyLoops, thresholds: LoopThresholds, at: number): readonly ActiveLoop[] =>
  active.filter((loop) => holds(thresholds, loop, at))

/** Drops the requests and times that are in no window at `at`. */
export function dropOldRequests(key: KeyLoops, { cycleWindowMs, repeatWindowMs }: LoopThresholds, at: number): void {
  key.recent = key.recent.filter((request) => request.at > at - cycleWindowMs)
  dropOldHashes(key, at - repeatWindowMs)
  for (const [hash, times] of key.times) {
    key.times.set(
      hash,
      times.filter((time) => time > at - repeatWindowMs),
    )
  }
}

function addRequest(key: KeyLoops, request: SeenRequest, { repeatWindowMs }: LoopThresholds): void {
  key.recent.push(request)
  if (key.recent.length > MOST_RECENT) key.recent.shift()
  const times = key.times.get(request.hash) ?? []
  times.push(request.at)
  if (times.length > MOST_TIMES) times.shift()
  key.times.delete(request.hash)
  key.times.set(request.hash, times)
  if (key.times.size <= key.dropAt) return
  dropOldHashes(key, request.at - repeatWindowMs)
  key.dropAt = Math.max(LEAST_DROP_AT, 2 * key.times.size)
}

/** Drops from the front, because the hashes are ordered by their latest time. */
function dropOldHashes({ times: byHash }: KeyLoops, until: number): void {
  for (const [hash, times] of byHash) {
    if ((times.at(-1) ?? until) > until) return
    byHash.delete(hash)
  }
}

const NO_TIMES: readonly number[] = []

const seenOf = (key: KeyLoops | undefined, hash: string): SeenRequests =>
  key === undefined ? NOTHING_SEEN : { recent: key.recent, sameAt: key.times.get(hash) ?? NO_TIMES, active: key.active }

function ensureKey({ keys }: Loops, keyId: string): KeyLoops {
  const known = keys.get(keyId)
  if (known !== undefined) return known
  const key = createKeyLoops()
  keys.set(keyId, key)
  return key
}

const isClearingEvent = ({ since, sincePolicy }: Loops, event: StateEvent): boolean =>
  (event.kind === 'act' && event.settings?.version === since) ||
  (event.kind === 'policy' && event.policy.version === sincePolicy)

function hasSameThresholds(one: ThresholdSources, other: ThresholdSources): boolean {
  const [first, second] = [thresholdsOf(one), thresholdsOf(other)]
  return (
    first.repeats === second.repeats &&
    first.repeatWindowMs === second.repeatWindowMs &&
    first.cycleRepeats === second.cycleRepeats &&
    first.cycleWindowMs === second.cycleWindowMs
  )
}
