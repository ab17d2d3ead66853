// Finds columns of a row that differ from its entry: the state is made of the columns, and the leaf covers the entry alone.
// No entry says when its retention ends, what loop detection knows a request by, and what a reading reserved. Pure.
import type { EventFields, LoggedKind } from './entries.store.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { isJsonObject, readJson, type JsonObject } from '../../platform/json.ts'
import { NamedSettingsSchema } from '../../policies/named-settings.ts'
import { NamedPolicySchema } from '../../policies/document/policy-document.ts'
import { POLICY_CHANGED, SETTINGS_CHANGED } from './journal-events.ts'
import { HELD_MS } from './state/clock.ts'

export type CheckedRow = Omit<EventFields, 'loop'> & {
  readonly kind: LoggedKind
  readonly at: number
  readonly id: string | null
  readonly entry: Uint8Array
  readonly facts: string | null
}

type Said = { [Name in (typeof COLUMNS)[number]]: unknown }

const COLUMNS = ['id', 'key_id', 'outcome', 'microeur', 'settles'] as const

const NOTHING: Said = { id: null, key_id: null, outcome: null, microeur: null, settles: null }

/** Returns the columns that differ from the row's entry. The entry must match its leaf's hash. */
export function columnsThatDiffer(row: CheckedRow): string[] {
  const { content: text, salt } = contentTextOf(row.entry)
  const content = objectIn(text)
  const isReceipt = salt === null
  if (row.kind !== (isReceipt ? RECEIPT_KIND : content['kind'])) return ['kind']
  const said = saidBy(row, content)
  const held: Said = { ...row, key_id: row.keyId }
  const writtenAt = Date.parse(String(isReceipt ? content['timestamp'] : content['at']))
  const isInTime = row.at >= writtenAt && row.at <= writtenAt + HELD_MS
  return [...(isInTime ? [] : ['at']), ...COLUMNS.filter((name) => held[name] !== said[name])]
}

function saidBy({ kind, microeur, facts }: CheckedRow, content: JsonObject): Said {
  switch (kind) {
    case RECEIPT_KIND: {
      const { attestation_id: id, outcome } = content
      const { key_id, reserve_microeur: reserved } = objectIn(facts)
      return { ...NOTHING, id, key_id, outcome, microeur: outcome === 'ALLOWED' ? reserved : null }
    }
    case 'referral_decision': {
      const { key_id, decision = null } = content
      // A reading that begins reserves something and has no outcome yet.
      return { ...NOTHING, key_id, microeur, outcome: microeur === null ? decision : null }
    }
    case 'settlement': {
      const { settles, outcome = 'settled', ended = outcome, cost_microeur: cost } = content
      return { ...NOTHING, settles, outcome: ended, microeur: cost }
    }
    case 'operator_act':
    case 'member_act':
      return { ...NOTHING, outcome: changedBy(content) }
    case 'hour_counts':
    case 'usage_closed':
      return NOTHING
    case 'approval':
      return { ...NOTHING, key_id: content['key_id'] ?? null, outcome: content['step'] }
  }
}

/** Returns which part of the organisation's state an act changed; null if none. */
function changedBy(content: JsonObject): string | null {
  if (NamedSettingsSchema.safeParse(content).success) return SETTINGS_CHANGED
  return NamedPolicySchema.safeParse(content).success ? POLICY_CHANGED : null
}

function objectIn(text: string | null): JsonObject {
  const value = readJson(text ?? '')
  return isJsonObject(value) ? value : {}
}
