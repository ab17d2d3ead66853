// The events of an organisation as its rows tell them, in the order in which they came.
import { EntriesStore, type EventRow } from './entries.store.ts'
import { contentOf } from '../../evidence/entry.ts'
import { CallsStore, type CallRow, type Place } from '../admit/calls.store.ts'
import { NamedSettingsSchema, settingsNamed } from '../../policies/named-settings.ts'
import { NamedPolicySchema, policyNamed } from '../../policies/document/policy-document.ts'
import { StepSchema } from './state/approval.schema.ts'
import { CHAT_OUTCOMES, type Event } from './state/event.ts'

/** The outcome in the row of an act that changed the settings. */
export const SETTINGS_CHANGED = 'settings'

/** The outcome in the row of an act that changed the policy. */
export const POLICY_CHANGED = 'policy'

export const eventOfCall = ({ at, keyId, ofGateway, outcome }: CallRow): Event => ({
  kind: 'call',
  at,
  keyId,
  ofGateway,
  outcome,
})

/** Throws for a row that this service has not written. */
export function eventOfEntry({ kind, at, keyId, outcome, loop, microeur, settles, entry }: EventRow): Event {
  switch (kind) {
    case 'chat_decision': {
      const decided = CHAT_OUTCOMES.find((one) => one === outcome)
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
      if (outcome === POLICY_CHANGED) return { kind: 'policy', at, policy: policyIn(entry) }
      return { kind: 'act', at, settings: outcome === SETTINGS_CHANGED ? settingsIn(entry) : null }
    case 'hour_counts':
      return { kind, at }
    case 'usage_closed':
      return { kind: 'act', at, settings: null }
    case 'approval':
      return { kind, at, step: StepSchema.parse(contentOf(entry)) }
  }
}

const settingsIn = (entry: Uint8Array) => settingsNamed(NamedSettingsSchema.parse(contentOf(entry)))

const policyIn = (entry: Uint8Array) => policyNamed(NamedPolicySchema.parse(contentOf(entry)))

/** Reads the events from a place on, up to but not including another. */
export function* eventsBetween(sql: SqlStorage, from: Place, until: Place): Iterable<Event> {
  const calls = new CallsStore(sql).list(from, until)[Symbol.iterator]()
  let call = calls.next()
  for (const row of new EntriesStore(sql).eventsFrom(from.before, until.before)) {
    for (; call.done !== true && call.value.before <= row.position; call = calls.next()) yield eventOfCall(call.value)
    yield eventOfEntry(row)
  }
  for (; call.done !== true; call = calls.next()) yield eventOfCall(call.value)
}
