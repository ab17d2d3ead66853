// Presents the counts of a closed day in the one form that its hash is of. Pure.
import type { Json } from '../../evidence/records/canonical-json.ts'
import { byCodeUnits } from '../../evidence/records/record.ts'
import { sha256 } from '../../platform/sha256.ts'
import { NO_SUMS, SUM_NAMES, type Sums } from './counted-call.ts'
import type { DayRow } from './tally.ts'

const MEMBERS = ['ending', 'key_id', 'model', 'use_case', ...SUM_NAMES].toSorted(byCodeUnits)

/** Rows in the order of key, model, use case and ending, none first: one JSON text that is canonical as it is. */
export function canonicalRows(rows: readonly DayRow[]): string {
  const sorted = rows.toSorted((a, b) => byCodeUnits(placeOf(a), placeOf(b)))
  return JSON.stringify(sorted.map(canonicalRow))
}

export const hashOfRows = (rows: readonly DayRow[]): Uint8Array => sha256(canonicalRows(rows))

export function totalOf(rows: readonly DayRow[]): Sums {
  const total = { ...NO_SUMS }
  for (const { sums } of rows) for (const name of SUM_NAMES) total[name] += sums[name]
  return total
}

function canonicalRow({ keyId, model, useCase, ending, sums }: DayRow): Record<string, Json> {
  const said: Record<string, Json> = { ending, key_id: keyId, model, use_case: useCase, ...sums }
  return Object.fromEntries(MEMBERS.map((name) => [name, said[name] ?? null]))
}

/** No name has such a character in it. */
const placeOf = ({ keyId, model, useCase, ending }: DayRow): string =>
  [keyId ?? '', model, useCase ?? '', ending].join('\u0000')
