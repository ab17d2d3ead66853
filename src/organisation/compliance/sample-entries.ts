// Draws random log entries for the compliance checklist and reads them again. Checks that each matches its leaf's hash, and that
// none was deleted early. Receipts among them show which kinds of content and which signing keys are in use.
import type { Days } from '../usage/usage-sums.store.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { SampleFacts } from '../../reports/controls/control.ts'
import type { Archive, EntriesPage, EntriesRange } from '../journal/archive.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import { LogProgressStore } from '../journal/log-progress.store.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { readJson } from '../../platform/json.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import { fallbackIfDamaged } from './log-facts.ts'
import { drawSample, type SampleDraw } from '../../evidence/tree/draw-sample.ts'
import { sha256 } from '../../platform/sha256.ts'

/** Kinds of content are counted in at most this many of the latest calls. */
const MOST_CALLS = 1000

type Parts = {
  sql: SqlStorage
  archive: Pick<Archive, 'readPage' | 'findEntry'>
  /** The number of entries in the log. */
  size: number
  /** 64 hexadecimal digits. */
  seed: string
}

/** Rejects if R2 does not answer. */
export async function sampleEntries(parts: Parts, period: Days, now: number): Promise<SampleFacts> {
  // Entries of a range are next to each other: in R2, each range then opens one object.
  const draw = { seed: parts.seed, first: firstStored(parts.sql, parts.size, now), treeSize: parts.size }
  const sample = new SampleResult(period, countLatestKinds(parts.sql, period), draw)
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

const FactsSchema = once(() => z.object({ content_kinds: z.array(z.enum(CONTENT_KINDS)) }))

type KindCounts = Partial<Record<ContentKind, number>>

/** Counts the latest calls of a period by kind of content. */
export function countLatestKinds(sql: SqlStorage, { first, last }: Days): SampleFacts['kinds'] {
  const counts: KindCounts = {}
  const period = { since: first * DAY_MS, until: (last + 1) * DAY_MS }
  for (const facts of new EntriesStore(sql).listFacts(period, MOST_CALLS)) addKinds(counts, facts)
  return counts
}

function addKinds(counts: KindCounts, facts: string | null): void {
  for (const kind of FactsSchema().safeParse(readJson(facts ?? '')).data?.content_kinds ?? []) {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
}

class SampleResult {
  readonly #period: Days
  readonly #kinds: KindCounts
  readonly #draw: SampleDraw
  readonly #signedBy = new Map<string, { first: number; last: number }>()
  readonly #differing: number[] = []
  readonly #missing: number[] = []
  #read = 0

  constructor(period: Days, kinds: SampleFacts['kinds'], draw: SampleDraw) {
    this.#period = period
    this.#draw = draw
    this.#kinds = { ...kinds }
  }

  take(entries: EntriesPage['entries']): void {
    this.#read += entries.length
    for (const { kind, entry, facts } of entries) {
      const record = kind === RECEIPT_KIND ? readReceiptEntry(entry) : null
      if (record === null) continue
      const at = Date.parse(record.timestamp)
      const signed = this.#signedBy.get(record.public_key) ?? { first: at, last: at }
      this.#signedBy.set(record.public_key, { first: Math.min(signed.first, at), last: Math.max(signed.last, at) })
      const day = utcDay(at)
      if (day >= this.#period.first && day <= this.#period.last) addKinds(this.#kinds, facts)
    }
  }

  reject(position: number, isDiffering: boolean): void {
    if (isDiffering) this.#differing.push(position)
    else this.#missing.push(position)
  }

  facts(): SampleFacts {
    return {
      draw: this.#draw,
      read: this.#read,
      differing: this.#differing,
      missing: this.#missing,
      kinds: { ...this.#kinds },
      signedBy: Array.from(this.#signedBy, ([publicKey, times]) => ({ publicKey, ...times })),
    }
  }
}
