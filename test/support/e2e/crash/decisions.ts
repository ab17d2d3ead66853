// Reads an organisation's entries: its decisions about chat requests, and how each was settled.
import * as z from 'zod'
import { readReceiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../../../src/evidence/records/attestation-record.ts'
import type { Books } from './books.ts'

type Facts = NonNullable<Books['entries'][number]['facts']>

export type WrittenDecision = { position: number; record: UnsignedRecord; facts: Facts }
/** `cachedFrom`: the attestation_id of the receipt whose answer was given again; null of a call that was run. */
export type WrittenSettlement = {
  position: number
  settles: number
  ended: string
  costMicroeur: number
  /** The part of the cost that is known of an interrupted call; null of others. */
  seenMicroeur: number | null
  content: z.infer<typeof StoredSchema>
  cachedFrom: string | null
  /** The hash of the decision's facts. */
  factsSha256: string | null
  /** The hash of the salt of its answer; null for one without an answer. */
  saltSha256: string | null
}

const RECEIPT_TAG = 0x00
/** Bytes before the content of an entry that is no receipt: its tag and 16 random bytes. */
const BEFORE_CONTENT = 17

/** Stored content of the call: its hash and its size in bytes, or `lost`. */
const StoredSchema = z.union([z.object({ sha256: z.string(), bytes: z.int() }), z.literal('lost')]).optional()

const SettlementSchema = z.object({
  settles: z.int(),
  ended: z.string(),
  cost_microeur: z.int(),
  seen_microeur: z.int().optional(),
  content: StoredSchema,
  cached_from: z.string().optional(),
  facts_sha256: z.string().optional(),
  answer: z.object({ sha256: z.string(), salt_sha256: z.string() }).optional(),
})
/** Only the end of a reading that was interrupted names its outcome. */
const EndOfReadingSchema = z.object({
  settles: z.int(),
  outcome: z.enum(['settled', 'interrupted']).default('settled'),
  cost_microeur: z.int(),
})
const ReadingSchema = z.object({ decision: z.literal('reading'), key_id: z.string(), request_id: z.string() })
/** A change of settings tells all of them, with their version. */
const ActSchema = z.object({
  act: z.string(),
  key_id: z.string().optional(),
  version: z.int().optional(),
  tier: z.string().optional(),
  requests_per_minute: z.int().nullable().optional(),
  requests_per_month: z.int().nullable().optional(),
  retention_days: z.int().nullable().optional(),
  default_max_tokens: z.int().optional(),
})
const PolicyActSchema = z.object({ act: z.literal('policy.put'), policy_version: z.int() })
const HourSchema = z.object({
  from: z.int(),
  allowed: z.int(),
  blocked: z.int(),
  suppressed: z.int(),
  refused: z.object({ scope: z.int(), closing: z.int() }),
  other_calls: z.int(),
})

const read = new WeakMap<Books, readonly WrittenDecision[]>()

/** Entries that begin as receipts do and are none are left out: that is a fault of its own. */
export function decisionsIn(books: Books): readonly WrittenDecision[] {
  const decisions = read.get(books) ?? readDecisions(books)
  read.set(books, decisions)
  return decisions
}

function readDecisions({ entries }: Books): WrittenDecision[] {
  return entries.flatMap(({ position, entry, facts }) => {
    const record = readReceiptEntry(entry)
    return record === null || facts === null ? [] : [{ position, record, facts }]
  })
}

export const positionsOfReceipts = ({ entries }: Books): number[] =>
  entries.filter(({ entry }) => entry[0] === RECEIPT_TAG).map(({ position }) => position)

/** How chat requests ended. */
export const settlementsIn = (books: Books): WrittenSettlement[] =>
  contentsOf(books, 'settlement', SettlementSchema).map(({ position, content }) => {
    const { settles, ended, cost_microeur: costMicroeur, content: kept, cached_from: cachedFrom = null } = content
    const { facts_sha256: factsSha256 = null, seen_microeur: seenMicroeur = null } = content
    const saltSha256 = content.answer?.salt_sha256 ?? null
    return { position, settles, ended, costMicroeur, seenMicroeur, content: kept, cachedFrom, factsSha256, saltSha256 }
  })

export type WrittenReading = { position: number; keyId: string; requestId: string }

/** Letters that began to be read. */
export const readingsIn = (books: Books): WrittenReading[] =>
  contentsOf(books, 'referral_decision', ReadingSchema).map(({ position, content }) => ({
    position,
    keyId: content.key_id,
    requestId: content.request_id,
  }))

export type WrittenEndOfReading = {
  position: number
  settles: number
  ended: 'settled' | 'interrupted'
  costMicroeur: number
}

export const endsOfReadingsIn = (books: Books): WrittenEndOfReading[] => {
  const chats = new Set(settlementsIn(books).map(({ position }) => position))
  return contentsOf(books, 'settlement', EndOfReadingSchema)
    .filter(({ position }) => !chats.has(position))
    .map(({ position, content: { settles, outcome: ended, cost_microeur: costMicroeur } }) => ({
      position,
      settles,
      ended,
      costMicroeur,
    }))
}

/** Returns the operator's acts. */
export const actsIn = (books: Books): z.infer<typeof ActSchema>[] =>
  contentsOf(books, 'operator_act', ActSchema).map(({ content }) => content)

/** Returns the versions of the policies that were put in force, in the order of their entries. */
export const policyVersionsIn = (books: Books): number[] =>
  contentsOf(books, 'member_act', PolicyActSchema).map(({ content }) => content.policy_version)

export const hoursIn = (books: Books): { position: number; content: z.infer<typeof HourSchema> }[] =>
  contentsOf(books, 'hour_counts', HourSchema)

/** Returns the content of entries of a kind that fits the schema. Skips what is no JSON: its leaf is a fault of its own. */
export function contentsOf<Schema extends z.ZodType>(
  { entries }: Books,
  kind: string,
  schema: Schema,
): { position: number; content: z.infer<Schema> }[] {
  return entries
    .filter((entry) => entry.kind === kind)
    .flatMap(({ position, entry }) => {
      const text = new TextDecoder().decode(entry.subarray(BEFORE_CONTENT))
      const content = schema.safeParse(parseJson(text)).data
      return content === undefined ? [] : [{ position, content }]
    })
}

/** Allowed decisions that no settlement ends, with what each reserved. */
export function openIn(books: Books): Map<number, number> {
  const settled = new Set(settlementsIn(books).map(({ settles }) => settles))
  return new Map(
    decisionsIn(books)
      .filter(({ position, record }) => record.outcome === 'ALLOWED' && !settled.has(position))
      .map(({ position, facts }) => [position, facts.reserve_microeur]),
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
