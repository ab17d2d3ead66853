// An organisation's books as they stand on disk.
import { join } from 'node:path'
import { z } from 'zod'
import { bytes, readObjects, type ReadRows } from './databases.ts'

const LeafSchema = z.object({ position: z.int(), hash: bytes })
const NodeSchema = z.object({ level: z.int(), position: z.int(), hash: bytes })
const FactsSchema = z.object({ key_id: z.string(), request_id: z.string(), reserve_microeur: z.int() })
const EntrySchema = z.object({
  position: z.int(),
  kind: z.string(),
  entry: bytes,
  facts: z
    .string()
    .nullable()
    .transform((text) => (text === null ? null : FactsSchema.parse(JSON.parse(text)))),
})
const ReceiptSchema = z.object({ attestation_id: z.string(), position: z.int() })
const ReservationSchema = z.object({ position: z.int(), admitted_at: z.int(), microeur: z.int() })
const MonthSchema = z.object({
  month: z.int(),
  requests: z.int(),
  spent_microeur: z.int(),
  reserved_microeur: z.int(),
})
const CountSchema = z.object({
  subject: z.string(),
  n: z.int(),
  held: z.int(),
  oldest: z.int().nullable(),
  newest: z.int().nullable(),
})
const KeySchema = z.object({ id: z.string() })
const PublicationSchema = z.object({ published_to: z.int() })

export type Leaves = { leaves: z.infer<typeof LeafSchema>[]; nodes: z.infer<typeof NodeSchema>[] }

export type Books = Leaves & {
  /** By which it is known whose books these are. */
  keyIds: string[]
  /** What the leaves are the hashes of. */
  entries: z.infer<typeof EntrySchema>[]
  /** `attestation_id`: 32 hexadecimal digits. */
  receipts: z.infer<typeof ReceiptSchema>[]
  reservations: z.infer<typeof ReservationSchema>[]
  months: z.infer<typeof MonthSchema>[]
  /** Calls of a subject counted in all; those still held for the minute, and the numbers of the oldest and newest. */
  counts: z.infer<typeof CountSchema>[]
  /** Receipts up to this position have been handed to the public log; -1 for none. */
  publishedTo: number
}

/** Of every organisation, and of the operator's own object. */
export const readAllBooks = (folder: string): Promise<Books[]> =>
  readObjects(join(folder, 'objects/main-Organisation'), readBooks)

/** A log's leaves and the tree over them. */
export const readLeaves = (rows: ReadRows): Leaves => ({
  leaves: rows('SELECT position, hash FROM leaves ORDER BY position', LeafSchema),
  nodes: rows('SELECT level, position, hash FROM tree_nodes ORDER BY level, position', NodeSchema),
})

const readBooks = (rows: ReadRows): Books => ({
  ...readLeaves(rows),
  keyIds: rows('SELECT id FROM keys', KeySchema).map(({ id }) => id),
  entries: rows('SELECT position, kind, entry, facts FROM details ORDER BY position', EntrySchema),
  receipts: rows('SELECT lower(hex(attestation_id)) AS attestation_id, position FROM receipts', ReceiptSchema),
  reservations: rows('SELECT position, admitted_at, microeur FROM chat_reservations', ReservationSchema),
  months: rows('SELECT month, requests, spent_microeur, reserved_microeur FROM month_usage', MonthSchema),
  counts: rows(
    `SELECT call_counts.subject, call_counts.n, COUNT(calls.n) AS held, MIN(calls.n) AS oldest, MAX(calls.n) AS newest
     FROM call_counts LEFT JOIN calls USING (subject) GROUP BY call_counts.subject`,
    CountSchema,
  ),
  publishedTo: rows('SELECT published_to FROM publication', PublicationSchema)[0]?.published_to ?? -1,
})
