// Verifies an organisation's state: computes it again from every event in the database and compares it with the object's memory.
// Works in steps, so that no call waits long. Events that arrive meanwhile are included.
import { EntriesStore, type EventFields, type LoggedKind } from './entries.store.ts'
import { contentTextOf, leafHash } from '../../evidence/entry.ts'
import { frontierToBytes, type Frontier } from '../../evidence/tree/frontier.ts'
import { COST_CORRECTED, readCorrection } from './state/cost-correction.schema.ts'
import { END, applyEventsUntil, POLICY_CHANGED, replay, SETTINGS_CHANGED, type Memory } from './load-state.ts'
import { COVERAGE_FORM, coverageKey } from '../../evidence/records/coverage-entry.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { coverageColumn } from './state/coverage.ts'
import { SnapshotsStore } from './snapshots.store.ts'
import { differences } from './state/snapshot.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { readJsonObject, type JsonObject } from '../../platform/json.ts'
import { NamedSettingsSchema } from '../../policies/organisation-settings.ts'
import { NamedPolicySchema } from '../../policies/document/policy-document.ts'
import { MOST_STEP_BACK_MS } from './state/state-event.ts'

const ENTRIES_AT_ONCE = 2500

export type StateCheckResult = {
  /** Paths where the two states differ, entries that do not match their leaf hash, columns that differ from their entry. */
  differences: string[]
  /** The entries from this position up to `to`, exclusive, were checked. */
  from: number
  to: number
}

export class StateCheck {
  readonly #sql: SqlStorage
  readonly #held: () => Memory
  #memory: Memory
  #from: number
  #wrongRows: string[] = []

  constructor(sql: SqlStorage, held: () => Memory) {
    this.#sql = sql
    this.#held = held
    this.#memory = this.#begin()
    this.#from = this.#memory.state.next
  }

  /** Checks the next entries. Returns null if more remain. Call it inside one turn. */
  step(): StateCheckResult | null {
    const oldest = new SnapshotsStore(this.#sql).find('oldest')
    // Entries that were still to be checked have been archived.
    if (oldest !== null && oldest.before > this.#memory.state.next) {
      this.#memory = this.#begin()
      this.#from = this.#memory.state.next
    }
    const held = this.#held()
    const next = this.#memory.state.next + ENTRIES_AT_ONCE
    const isLast = next >= held.state.next
    this.#checkRows(this.#memory.state.next, next)
    try {
      applyEventsUntil(this.#sql, this.#memory, isLast ? END : { before: next, n: 0 })
    } catch (thrown) {
      // No event can be made of a wrong row, and the wrong rows are already known.
      if (this.#wrongRows.length === 0) throw thrown
      return { differences: this.#wrongRows, from: this.#from, to: held.state.next }
    }
    if (!isLast) return null
    const isOneLog = textOf(held.frontier) === textOf(this.#memory.frontier)
    const found = [...differences(held.state, this.#memory.state), ...(isOneLog ? [] : ['frontier'])]
    return { differences: [...found, ...this.#wrongRows], from: this.#from, to: held.state.next }
  }

  #begin(): Memory {
    this.#wrongRows = []
    const oldest = new SnapshotsStore(this.#sql).find('oldest')
    return replay(this.#sql, oldest, oldest ?? { before: 0, n: 0 })
  }

  #checkRows(from: number, before: number): void {
    for (const row of new EntriesStore(this.#sql).rowsFrom(from, before)) {
      const name = `entries.${row.position}`
      const isOther = !isSameBytes(leafHash(row.entry), row.hash)
      this.#wrongRows.push(...(isOther ? [name] : columnsThatDiffer(row).map((column) => `${name}.${column}`)))
    }
  }
}

const textOf = (frontier: Frontier): string => frontierToBytes(frontier).toHex()

type CheckedRow = Omit<EventFields, 'loop'> & {
  readonly kind: LoggedKind
  readonly at: number
  readonly id: string | null
  readonly entry: Uint8Array
  readonly facts: string | null
}

type ColumnValues = { [Name in (typeof COLUMNS)[number]]: unknown }

const COLUMNS = ['id', 'key_id', 'outcome', 'microeur', 'settles'] as const

const NO_VALUES: ColumnValues = { id: null, key_id: null, outcome: null, microeur: null, settles: null }

/**
 * Returns the columns that differ from the row's entry. The state is computed from columns, and the leaf covers only the entry.
 * The entry must match its leaf hash. Expiry, loop hash and a reading's reservation are not in the entry, so they are not compared.
 */
function columnsThatDiffer(row: CheckedRow): string[] {
  const { content: text, salt } = contentTextOf(row.entry)
  const content = readJsonObject(text)
  const isReceipt = salt === null
  if (row.kind !== (isReceipt ? RECEIPT_KIND : content['kind'])) return ['kind']
  const stored: ColumnValues = { ...row, key_id: row.keyId }
  const said = columnsFromEntry(row, content) ?? stored
  const writtenAt = Date.parse(String(isReceipt ? content['timestamp'] : content['at']))
  const isInTime = row.at >= writtenAt && row.at <= writtenAt + MOST_STEP_BACK_MS
  return [...(isInTime ? [] : ['at']), ...COLUMNS.filter((name) => stored[name] !== said[name])]
}

/** Returns null for a kind, or a form, that this version does not know. */
function columnsFromEntry({ kind, microeur, facts }: CheckedRow, content: JsonObject): ColumnValues | null {
  switch (kind) {
    case RECEIPT_KIND: {
      const { attestation_id: id, outcome } = content
      const { key_id, reserve_microeur: reserved } = readJsonObject(facts)
      return { ...NO_VALUES, id, key_id, outcome, microeur: outcome === 'ALLOWED' ? reserved : null }
    }
    case 'referral_decision': {
      const { key_id, decision = null } = content
      // A reading that begins reserves something and has no outcome yet.
      return { ...NO_VALUES, key_id, microeur, outcome: microeur === null ? decision : null }
    }
    case 'settlement': {
      const { settles, outcome = 'settled', ended = outcome, cost_microeur: cost } = content
      return { ...NO_VALUES, settles, outcome: ended, microeur: cost }
    }
    case 'operator_act':
    case 'member_act':
      return { ...NO_VALUES, outcome: changedBy(content) }
    case 'coverage':
      if (content['v'] !== COVERAGE_FORM) return null
      return { ...NO_VALUES, outcome: coverageColumn(coverageKey(content, sha256Hex), content['retention_days']) }
    case 'hour_counts':
    case 'usage_closed':
    case 'referral_outcome':
    case 'concordance_closed':
      return NO_VALUES
    case 'approval':
      return { ...NO_VALUES, key_id: content['key_id'] ?? null, outcome: content['step'] }
    // A newer Worker may have written it, before a rollback. Its columns change no state.
    default:
      return null
  }
}

/** Returns which part of the organisation's state an act changed; null if none. */
function changedBy(content: JsonObject): string | null {
  if (readCorrection(content) !== null) return COST_CORRECTED
  if (NamedSettingsSchema().safeParse(content).success) return SETTINGS_CHANGED
  return NamedPolicySchema().safeParse(content).success ? POLICY_CHANGED : null
}
