// Histories of an organisation, made up: what several keys ask for, under a clock that jumps and steps back, decided from the
// state as a turn does it.
import fc from 'fast-check'
import { decideLimit } from '../../../../../src/keys/rate-limits.policy.ts'
import {
  ApprovalStepSchema,
  type ApprovalStep,
  type ApprovalRequest,
} from '../../../../../src/organisation/journal/state/approval.schema.ts'
import {
  findClaimedBy,
  findByRequest,
  hasTooManyPending,
  isExpired,
  nextExpiryAt,
} from '../../../../../src/organisation/journal/state/approvals.ts'
import {
  countsAt,
  lastUseOf,
  listIdleKeys,
  WHOLE_ORGANISATION,
} from '../../../../../src/organisation/journal/state/calls.ts'
import {
  CALL_OUTCOMES,
  MOST_STEP_BACK_MS,
  timeOf,
  type StateEvent,
} from '../../../../../src/organisation/journal/state/state-event.ts'
import { countsDueAt } from '../../../../../src/organisation/journal/state/current-hour.ts'
import { isLoop } from '../../../../../src/organisation/journal/state/loops.ts'
import {
  listMonths,
  listOpenChats,
  monthAt,
  oldestOpenAt,
} from '../../../../../src/organisation/journal/state/monthly-usage.ts'
import {
  listAbandonedReadings,
  listDays,
  listOpenReadings,
  oldestOpenDay,
  spentInDay,
} from '../../../../../src/organisation/journal/state/readings.ts'
import { horizonMs, readSnapshot, restore, stateAt } from '../../../../../src/organisation/journal/state/snapshot.ts'
import { daySpending, keyMonthSpending } from '../../../../../src/organisation/journal/state/spending.ts'
import {
  applyToState,
  emptyState,
  type State,
} from '../../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS, MINUTE_MS } from '../../../../../src/platform/time.ts'
import { versionPolicy, type PolicyDocument } from '../../../../../src/policies/document/policy-document.ts'
import type { PersonId } from '../../../../../src/platform/ids.ts'
import type { OrganisationSettings } from '../../../../../src/policies/organisation-settings.ts'

/** Half a minute before a month ends. */
export const EVENING = Date.UTC(2091, 2, 31, 23, 59, 30)

export const KEYS = ['key_a', 'key_b', 'key_c'] as const
const HASHES = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32))
const PER_MINUTE = 12

/** A request for an event. `pick`: index among the open ones. */
export type Intent =
  | { kind: 'chat'; keyId: string; hash: string; microeur: number; isBlocked: boolean }
  | { kind: 'reading'; keyId: string; microeur: number }
  | { kind: 'referral'; keyId: string; outcome: string }
  | { kind: 'settle'; pick: number; costMicroeur: number; outcome: 'settled' | 'interrupted' }
  | { kind: 'change'; change: Partial<OrganisationSettings> | null }
  | { kind: 'policy'; document: PolicyDocument }
  | { kind: 'count_hour' }
  | { kind: 'coverage'; key: string; days: number }
  | { kind: 'approval'; pick: number; step: ApprovalStep['step']; keyId: string; person: PersonId; decision: Decision }
  | { kind: 'call'; keyId: string; ofGateway: boolean; outcome: (typeof CALL_OUTCOMES)[number] }

type Decision = Extract<ApprovalStep, { step: 'decided' }>['decision']

export type Step = { elapsedMs: number; stepMs: number; intent: Intent }

const keyId = fc.constantFrom(...KEYS)
const microeur = fc.nat(1000)

const intent: fc.Arbitrary<Intent> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('chat' as const),
      keyId,
      // Two hashes out of four are frequent, so that there are cycles.
      hash: fc.oneof(fc.constantFrom(...HASHES), fc.constantFrom(...HASHES.slice(0, 2))),
      microeur,
      isBlocked: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reading' as const), keyId, microeur }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('referral' as const),
      keyId,
      outcome: fc.constantFrom('urgent', 'routine', '__proto__'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      pick: fc.nat(20),
      costMicroeur: fc.nat(2000),
      outcome: fc.constantFrom('settled' as const, 'interrupted' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      change: fc.option(
        fc.oneof(
          fc.record({ monthlyBudgetMicroeur: microeur }),
          fc.record({ loopRepeats: fc.integer({ min: 2, max: 6 }), loopWindowSeconds: fc.constantFrom(10, 60, 300) }),
          fc.record({
            loopCycleRounds: fc.integer({ min: 2, max: 4 }),
            loopCycleWindowSeconds: fc.constantFrom(10, 300, 3600),
          }),
        ),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('policy' as const),
      document: fc.oneof(
        fc.constant({}),
        fc.record({ loop_guard: fc.record({ repeats: fc.integer({ min: 2, max: 6 }) }) }),
        fc.record({ use_case_guard: fc.record({ required: fc.boolean() }) }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'count_hour' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('coverage' as const),
      // More builds than the state holds.
      key: fc.nat(11).map((build) => build.toString(16).repeat(32)),
      days: fc.integer({ min: 730, max: 3000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('approval' as const),
      pick: fc.nat(6),
      step: fc.oneof(
        fc.constantFrom(...ApprovalStepSchema().options.map(({ shape }) => shape.step.value)),
        fc.constantFrom('asked' as const, 'decided' as const, 'claimed' as const),
      ),
      keyId,
      person: fc.constantFrom('usr_a' as const, 'usr_b' as const),
      decision: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const, 'escalate' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      keyId,
      ofGateway: fc.boolean(),
      outcome: fc.constantFrom(...CALL_OUTCOMES),
    }),
  },
)

const stepBack = fc.oneof(
  fc.integer({ min: 1, max: MOST_STEP_BACK_MS }),
  fc.integer({ min: MOST_STEP_BACK_MS, max: 3 * DAY_MS }),
  fc.constantFrom(
    1,
    MINUTE_MS,
    MOST_STEP_BACK_MS,
    MOST_STEP_BACK_MS + 1,
    MOST_STEP_BACK_MS + MINUTE_MS,
    DAY_MS,
    31 * DAY_MS,
  ),
)
const stepAhead = fc.oneof(
  fc.integer({ min: 1, max: 5 * DAY_MS }),
  fc.constantFrom(MINUTE_MS, MOST_STEP_BACK_MS + MINUTE_MS, DAY_MS, 31 * DAY_MS),
)
export const elapsed = fc.oneof(
  { weight: 4, arbitrary: fc.nat(2000) },
  { weight: 2, arbitrary: fc.nat(40_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS, 300_000) },
)

/** Mostly none, sometimes ahead, sometimes back; in milliseconds. */
export const clockStep = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: stepBack.map((ms) => -ms) },
  { weight: 1, arbitrary: stepAhead },
)

export const stepsOf = (maxLength: number, stepMs: fc.Arbitrary<number> = clockStep): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ elapsedMs: elapsed, stepMs, intent }), { maxLength, size: 'max' })

/** Returns the event that a turn writes at `now`, decided from the state. */
export function decide(state: State, asked: Intent, now: number): StateEvent {
  const at = timeOf(state, now)
  const seen = stateAt(state, at)
  switch (asked.kind) {
    case 'chat': {
      const limits = { perMinute: PER_MINUTE, perDay: Infinity }
      if (!decideLimit(limits, countsAt(seen.calls, WHOLE_ORGANISATION, at), at).allowed) {
        return { kind: 'call', at, keyId: asked.keyId, ofGateway: true, outcome: 'rate' }
      }
      const written = { kind: 'chat_decision' as const, at, keyId: asked.keyId }
      if (asked.isBlocked) return { ...written, outcome: 'BLOCKED', loop: null, reservedMicroeur: null }
      const isLooping = isLoop(seen, asked.keyId, asked.hash, at)
      return isLooping
        ? { ...written, outcome: 'SUPPRESSED', loop: asked.hash, reservedMicroeur: null }
        : { ...written, outcome: 'ALLOWED', loop: asked.hash, reservedMicroeur: asked.microeur }
    }
    case 'reading': {
      const { keyId: of, microeur: reservedMicroeur } = asked
      return { kind: 'referral_decision', at, keyId: of, outcome: null, reservedMicroeur }
    }
    case 'referral':
      return { kind: 'referral_decision', at, keyId: asked.keyId, outcome: asked.outcome, reservedMicroeur: null }
    case 'settle': {
      const open = [...listOpenChats(seen.months, Infinity, Infinity), ...listOpenReadings(seen.readings, Infinity)]
      const { pick, costMicroeur, outcome } = asked
      return { kind: 'settlement', at, settles: open[pick]?.position ?? pick, costMicroeur, outcome }
    }
    case 'change': {
      const { version } = state.settings
      const settings = asked.change && { ...state.settings, ...asked.change, version: version + 1 }
      return { kind: 'act', at, settings }
    }
    case 'policy':
      return { kind: 'policy', at, policy: versionPolicy(state.policy.version + 1, asked.document) }
    case 'count_hour':
      return { kind: 'hour_counts', at }
    case 'coverage':
      return { kind: 'coverage', at, key: asked.key, position: state.next, until: at + asked.days * DAY_MS }
    case 'approval':
      return { kind: 'approval', at, step: stepOf(state, asked) }
    case 'call':
      return { ...asked, at }
  }
}

export const askedBy = (asker: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  approval_id: `apr_${crypto.randomUUID()}`,
  key_id: `key_${asker}`,
  request_hash: 'a'.repeat(64),
  use_case: null,
  policy_version: 1,
  data_region: 'any',
  attestation_id: crypto.randomUUID(),
  subject_hash: 'b'.repeat(64),
  subject_position: 0,
  approvals_required: 1,
  expires_seconds: 300,
  model: 'invented-model',
  other_models: [],
  provider: 'openai',
  stream: false,
  content_kinds: ['text'],
  bytes: 100,
  found: null,
  reserve_microeur: 10,
  ...more,
})

/** Makes a step of the picked approval, even one that it cannot take. The approval is unknown if there are fewer. */
function stepOf(
  state: State,
  { pick, step, keyId: of, person, decision }: Extract<Intent, { kind: 'approval' }>,
): ApprovalStep {
  const [approval_id = 'apr_none'] = [...state.approvals.keys()].slice(pick)
  switch (step) {
    case 'asked': {
      const approvals_required = pick % 2 === 0 ? 1 : 2
      return {
        step,
        ...askedBy(of, { approval_id: `apr_${state.next}`, approvals_required, expires_seconds: 30 * pick }),
      }
    }
    case 'decided':
      return { step, approval_id, decision, actor: person }
    case 'claimed':
      return { step, approval_id, position: pick }
    case 'withdrawn':
      return { step, approval_id, why: 'policy' }
    case 'voided':
      return { step, approval_id, reviewer: person }
    case 'executed':
    case 'returned':
    case 'expired':
      return { step, approval_id }
  }
}

/** The events of a history, and the state after each of them as `look` tells it. */
export function live(steps: readonly Step[], look: (state: State, event: StateEvent) => void = () => undefined) {
  const state = emptyState()
  const events: StateEvent[] = []
  let now = EVENING
  for (const { elapsedMs, stepMs, intent: asked } of steps) {
    now += elapsedMs + stepMs
    const event = decide(state, asked, now)
    events.push(event)
    applyToState(state, event)
    look(state, event)
  }
  return { state, events }
}

/** From a small snapshot that was taken after `events`, of which no more is read than must be. */
export function rebuild(snapshot: string, events: readonly StateEvent[]): State {
  const { state } = readSnapshot(snapshot)
  const since = state.clock.latest - horizonMs(state)
  const old = events.findLastIndex(({ at }) => at <= since)
  restore(state, events.slice(old + 1))
  return state
}

/** All that can be asked of a state, at its own time and at others. */
export function answersOf(state: State): unknown[] {
  const { latest } = state.clock
  const later = [0, 1, 30_000, MINUTE_MS, MOST_STEP_BACK_MS, DAY_MS].map((ms) => latest + ms)
  const earlier = [MOST_STEP_BACK_MS + 1, DAY_MS, 31 * DAY_MS].map((ms) => latest - ms)
  return [...later, ...earlier].map((at) => {
    const seen = stateAt(state, at)
    return {
      at: timeOf(state, at - 5),
      subjects: [WHOLE_ORGANISATION, ...KEYS].map((subject) => [
        countsAt(seen.calls, subject, at),
        lastUseOf(seen.calls, subject),
        spentInDay(seen.readings, subject, at),
        daySpending(seen.spending, subject, at),
        keyMonthSpending(seen.spending, subject, at),
        HASHES.map((hash) => isLoop(seen, subject, hash, at)),
      ]),
      idle: listIdleKeys(seen.calls, at),
      month: monthAt(seen.months, at),
      months: listMonths(seen.months),
      open: [listOpenChats(seen.months, at, 100), oldestOpenAt(seen.months)],
      readings: [
        listDays(seen.readings),
        listOpenReadings(seen.readings, Infinity),
        listAbandonedReadings(seen.readings, at, Infinity),
        oldestOpenDay(seen.readings),
      ],
      counts: [seen.counts, countsDueAt(seen.counts)],
      approvals: [
        [...seen.approvals.values()].map((approval) => [approval, isExpired(approval, at)]),
        KEYS.map((of) => [hasTooManyPending(seen.approvals, `key_${of}`), findByRequest(seen.approvals, askedBy(of))]),
        [findClaimedBy(seen.approvals, 3), nextExpiryAt(seen.approvals)],
      ],
      coverage: [...seen.coverage],
      settings: seen.settings,
      policy: seen.policy,
      next: seen.next,
    }
  })
}
