// The rows of a closed day as canonical JSON, their hash and their totals. docs/see-usage.md describes them. Pure.
import { byCodeUnits } from '../../evidence/records/attestation-record.ts'
import type { Json } from '../../evidence/records/canonical-json.ts'
import { sha256 } from '../../platform/sha256.ts'
import { NO_SUMS, SUM_NAMES, type DayRow, type Sums } from './tally.ts'

export const CLOSING_FORM = 'usage-closed-1'

const MEMBERS = ['ending', 'key_id', 'model', 'use_case', ...SUM_NAMES].toSorted(byCodeUnits)

/** Returns a day's rows as canonical JSON, sorted by key, model, use case and ending (null first). The day's hash covers it. */
export function canonicalRows(rows: readonly DayRow[]): string {
  const sorted = rows.toSorted((a, b) => byCodeUnits(sortKeyOf(a), sortKeyOf(b)))
  return JSON.stringify(sorted.map(canonicalRow))
}

export const hashOfRows = (rows: readonly DayRow[]): Uint8Array => sha256(canonicalRows(rows))

export function totalOf(rows: readonly DayRow[]): Sums {
  const total = { ...NO_SUMS }
  for (const { sums } of rows) for (const name of SUM_NAMES) total[name] += sums[name]
  return total
}

function canonicalRow({ keyId, model, useCase, ending, sums }: DayRow): Record<string, Json> {
  const fields: Record<string, Json> = { ending, key_id: keyId, model, use_case: useCase, ...sums }
  return Object.fromEntries(MEMBERS.map((name) => [name, fields[name] ?? null]))
}

/** No name contains the separator. */
const sortKeyOf = ({ keyId, model, useCase, ending }: DayRow): string =>
  [keyId ?? '', model, useCase ?? '', ending].join('\u0000')
