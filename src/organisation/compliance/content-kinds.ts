// The kinds of content of the latest calls: what is beside the receipts that are at hand says it.
import { z } from 'zod'
import type { SampleFacts } from '../../reports/controls/facts.ts'
import { DAY_MS } from '../../platform/clock.ts'
import { readJson } from '../../platform/json-object.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import type { Period } from './gathered.ts'

const MOST_CALLS = 1000

type Kinds = SampleFacts['kinds']

const QUERY = `
  SELECT kinds, COUNT(*) AS calls FROM (
    SELECT json_extract(facts, '$.content_kinds') AS kinds FROM entries
    WHERE id IS NOT NULL AND facts IS NOT NULL AND at >= ? AND at < ? ORDER BY position DESC LIMIT ${MOST_CALLS}
  ) GROUP BY kinds`

const KindsSchema = z.array(z.enum(CONTENT_KINDS))

/** By how many of the latest calls of a period had them. */
export function latestKinds(sql: SqlStorage, { first, last }: Period): Kinds {
  const counts: Partial<Record<ContentKind, number>> = {}
  const rows = sql.exec<{ kinds: string | null; calls: number }>(QUERY, first * DAY_MS, (last + 1) * DAY_MS)
  for (const { kinds, calls } of rows) {
    for (const kind of KindsSchema.safeParse(readJson(kinds ?? '')).data ?? []) addKind(counts, kind, calls)
  }
  return counts
}

export function addKind(counts: Partial<Record<ContentKind, number>>, kind: ContentKind, calls: number): void {
  counts[kind] = (counts[kind] ?? 0) + calls
}
