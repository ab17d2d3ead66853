// Draws random log entries for the compliance checklist and reads them again. Checks that each matches its leaf's hash, and that
// none was deleted early. Receipts among them show which kinds of content and which signing keys are in use.
import type { Days } from '../usage/usage-sums.store.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { SampleFacts, SeenCall } from '../../reports/controls/control.ts'
import type { Archive, EntriesPage, EntriesRange } from '../journal/archive.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import { LogProgressStore } from '../journal/log-progress.store.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { readJson } from '../../platform/json.ts'
import { CONTENT_KINDS } from '../../policies/facts.ts'
import { fallbackIfDamaged } from './log-facts.ts'
import { drawSample, type SampleDraw } from '../../evidence/tree/draw-sample.ts'
import { sha256 } from '../../platform/sha256.ts'

/** At most this many of the latest calls are looked at, beside those of the sample. */
const MOST_CALLS = 1000

type Parts = {
  sql: SqlStorage
  archive: Pick<Archive, 'readPage' | 'findEntry'>
  size: number
  /** 64 hexadecimal digits. */
  seed: string
}

/** Rejects if R2 does not answer. */
export async function sampleEntries(parts: Parts, period: Days, now: number): Promise<SampleFacts> {
  // Entries of a range are next to each other: in R2, each range then opens one object.
  const draw = { seed: parts.seed, first: firstStored(parts.sql, parts.size, now), treeSize: parts.size }
  const sample = new SampleResult(period, readLatestCalls(parts.sql, period), draw)
  for (const { from, before } of drawSample(draw, sha256)) {
    const isRead = readRange(parts, { from, before }, sample, now).then(() => true)
    if (!(await fallbackIfDamaged(isRead, false))) {
      for (let position = from; position < before; position += 1) sample.reject(position, true)
    }
    await scheduler.wait(0)
  }
  return sample.facts()
}

async function readRange(
  parts: Parts,
  { from, before }: EntriesRange,
  sample: SampleResult,
  now: number,
): Promise<void> {
  const entries: EntriesPage['entries'] = []
  let unreadable = 0
  for (let at: number | null = from; at !== null;) {
    const page: EntriesPage = await parts.archive.readPage({ from: at, before }, now)
    entries.push(...page.entries)
    unreadable += page.unreadable
    at = page.next
  }
  sample.take(entries)
  const read = new Set(entries.map(({ position }) => position))
  for (let position = from; position < before; position += 1) {
    if (read.has(position)) continue
    // If every stored entry of the range could be read, this one has expired or was never to be stored.
    const cause = unreadable === 0 ? 'not_kept' : await causeOf(parts, position, now)
    const isMissing = cause === 'missing' || (cause === 'not_kept' && isGoneEarly(parts.sql, position, now))
    if (cause === 'differs' || isMissing) sample.reject(position, !isMissing)
  }
}

/** Returns the position before which no entry can be read any more. */
function firstStored(sql: SqlStorage, size: number, now: number): number {
  const { low } = sql
    .exec<{ low: number | null }>('SELECT MIN(first) AS low FROM sealed_details WHERE expires_day >= ?', utcDay(now))
    .one()
  return Math.min(low ?? size, new EntriesStore(sql).firstRow()?.position ?? size, size)
}

/** A lookup may open several objects, so other calls run in between. */
async function causeOf({ archive }: Parts, position: number, now: number): Promise<'differs' | 'missing' | 'not_kept'> {
  await scheduler.wait(0)
  const found = await archive.findEntry(position, now)
  if (found.outcome !== 'unreadable') return 'not_kept'
  return found.cause === 'leaf_differs' ? 'differs' : 'missing'
}

/**
 * Returns true if an entry is missing early: its content before it expires, or its row before it is archived. A row that is gone
 * while it is being archived has expired, because objects are stored before their entries are deleted.
 */
function isGoneEarly(sql: SqlStorage, position: number, now: number): boolean {
  const row = new EntriesStore(sql).expiryOf(position)
  if (row !== null) return row.isEmpty && row.expiresAt > now
  return position >= new LogProgressStore(sql).read().archivingTo
}

const FactsSchema = once(() =>
  z.object({
    provider: z.string(),
    content_kinds: z.array(z.enum(CONTENT_KINDS)),
    retention_days: z.int(),
    use_case: z.string().nullable(),
    policy_version: z.int().optional(),
    approval_id: z.string().optional(),
  }),
)

/** Reads the latest calls of a period that are in the database, by position. */
export function readLatestCalls(sql: SqlStorage, { first, last }: Days): Map<number, SeenCall> {
  const period = { since: first * DAY_MS, until: (last + 1) * DAY_MS }
  const calls = new Map<number, SeenCall>()
  for (const { position, outcome, facts } of new EntriesStore(sql).listDecisions(period, MOST_CALLS)) {
    const call = readCall(outcome, facts)
    if (call !== null) calls.set(position, call)
  }
  return calls
}

function readCall(outcome: string | null, facts: string | null): SeenCall | null {
  const read = FactsSchema().safeParse(readJson(facts ?? '')).data
  return read === undefined
    ? null
    : {
        provider: read.provider,
        kinds: read.content_kinds,
        useCase: read.use_case,
        policyVersion: read.policy_version ?? 0,
        retentionDays: read.retention_days,
        isAllowed: outcome === 'ALLOWED',
        isApproved: outcome === 'ALLOWED' && read.approval_id !== undefined,
      }
}

class SampleResult {
  readonly #period: Days
  readonly #calls: Map<number, SeenCall>
  readonly #draw: SampleDraw
  readonly #callsFrom: number | null
  readonly #signedBy = new Map<string, { first: number; last: number }>()
  readonly #differing: number[] = []
  readonly #missing: number[] = []
  #read = 0

  constructor(period: Days, latest: Map<number, SeenCall>, draw: SampleDraw) {
    this.#period = period
    this.#draw = draw
    this.#calls = latest
    // The latest calls are listed newest first.
    this.#callsFrom = [...latest.keys()].at(-1) ?? null
  }

  take(entries: EntriesPage['entries']): void {
    this.#read += entries.length
    for (const { position, kind, entry, facts } of entries) {
      const record = kind === RECEIPT_KIND ? readReceiptEntry(entry) : null
      if (record === null) continue
      const at = Date.parse(record.timestamp)
      const signed = this.#signedBy.get(record.public_key) ?? { first: at, last: at }
      this.#signedBy.set(record.public_key, { first: Math.min(signed.first, at), last: Math.max(signed.last, at) })
      const day = utcDay(at)
      const call = readCall(record.outcome, facts)
      if (call !== null && day >= this.#period.first && day <= this.#period.last) this.#calls.set(position, call)
    }
  }

  reject(position: number, isDiffering: boolean): void {
    if (isDiffering) this.#differing.push(position)
    else this.#missing.push(position)
  }

  facts(): SampleFacts {
    return {
      draw: { ...this.#draw, callsFrom: this.#callsFrom },
      read: this.#read,
      differing: this.#differing,
      missing: this.#missing,
      calls: [...this.#calls.values()],
      signedBy: Array.from(this.#signedBy, ([publicKey, times]) => ({ publicKey, ...times })),
    }
  }
}
