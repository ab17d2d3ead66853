// An organisation's books as they stand on disk: the rows of its log and the calls between them, and what of the log has left
// its database, in tiles and in sealed objects.
import { join } from 'node:path'
import * as z from 'zod'
import { HASH_BYTES, TILE_WIDTH, tilePath } from '../../../../src/evidence/tree/tiles.ts'
import { RECEIPT_KIND } from '../../../../src/evidence/entry-tags.ts'
import { contentPrefix } from '../../../../src/organisation/content/content-object.ts'
import { type KeptContent, readContentKeys } from './content-faults.ts'
import { bytes, readObjects, type ReadRows } from './databases.ts'
import { MIRROR_FOLDER } from './steps.ts'
import { archiveObjectName, unpackEntries } from '../../../../src/organisation/journal/archive-object.ts'
import { importSealingKey, unseal } from '../../../../src/platform/seal.ts'

export const FactsSchema = z.looseObject({
  key_id: z.string(),
  request_id: z.string(),
  reserve_microeur: z.int(),
  input_microeur: z.int().optional(),
  /** Key under which its content was to be stored, and the expiry of that. */
  content: z.object({ key: z.string(), expires_at: z.string() }).optional(),
})

const AnswerSaltSchema = z.strictObject({ v: z.literal('answer-2'), answer_salt: z.string().regex(/^[0-9a-f]{32}$/) })

const RowSchema = z.object({
  position: z.int(),
  hash: bytes,
  kind: z.string(),
  at: z.int(),
  id: z.string().nullable(),
  key_id: z.string().nullable(),
  outcome: z.string().nullable(),
  microeur: z.int().nullable(),
  settles: z.int().nullable(),
})
const ContentSchema = z.object({
  position: z.int(),
  kind: z.string(),
  entry: bytes,
  facts: z.string().nullable(),
  expires_at: z.int(),
})
const CallSchema = z.object({
  before: z.int(),
  n: z.int(),
  at: z.int(),
  of_gateway: z.int(),
  outcome: z.string(),
})
const SnapshotSchema = z.object({ name: z.string(), before: z.int(), n: z.int(), state: z.string() })
const VersionSchema = z.object({ version: z.int() })
const EndedApprovalSchema = z.object({ id: z.string(), state: z.string() })
const LevelSchema = z.object({ level: z.int(), stored: z.int(), edge: bytes })
const KeySchema = z.object({ id: z.string() })
const ProgressSchema = z.object({ published_to: z.int(), left_to: z.int() })
const AnchorSchema = z.object({ tree_size: z.int(), document: z.string(), taken_at: z.int().nullable() })
const FileSchema = z.object({ name: z.string(), bytes })

export type Leaf = { position: number; hash: Uint8Array }

export type Entry = {
  position: number
  kind: string
  entry: Uint8Array
  facts: z.infer<typeof FactsSchema> | null
  /** The salt of its answer's hash; null for an entry that commits to no answer. */
  answerSalt: string | null
  /** When its retention is over, in milliseconds since the epoch. */
  expiresAt: number
}

export type Books = {
  /** By which it is known whose books these are. */
  keyIds: string[]
  /** In tiles where they are in no row any more. */
  leaves: Leaf[]
  /** Entries that the leaves hash: from sealed objects if no row has them. Leaves out those whose content is gone. */
  entries: Entry[]
  /** Columns beside an entry in the database, which the object reads when it starts. `id`: 32 hexadecimal digits. */
  rows: Omit<z.infer<typeof RowSchema>, 'hash'>[]
  /** Calls that left no entry, those before the oldest snapshot apart. */
  calls: z.infer<typeof CallSchema>[]
  snapshots: z.infer<typeof SnapshotSchema>[]
  /** Versions in the policy's history, in ascending order. */
  policyVersions: number[]
  /** Approvals that have ended. */
  endedApprovals: z.infer<typeof EndedApprovalSchema>[]
  /** The log's own tiles in R2, by their paths. */
  tiles: Map<string, Uint8Array>
  /** The same in the second bucket. */
  mirrored: Map<string, Uint8Array>
  levels: z.infer<typeof LevelSchema>[]
  anchors: z.infer<typeof AnchorSchema>[]
  /** Receipts up to this position have been handed to the public log; -1 for none. */
  submittedTo: number
  /** Entries before this position have left the database. */
  leftTo: number
  /** The names of sealed objects: those that the database knows of, and those that there are. */
  sealed: { listed: string[]; stored: string[] }
  content: KeptContent
}

type OnDisk = Pick<
  Books,
  | 'keyIds'
  | 'rows'
  | 'calls'
  | 'snapshots'
  | 'policyVersions'
  | 'endedApprovals'
  | 'levels'
  | 'anchors'
  | 'submittedTo'
  | 'leftTo'
> & {
  ledger: string
  leaves: Leaf[]
  contents: z.infer<typeof ContentSchema>[]
  objects: Sealed[]
  contentKeys: KeptContent['keys']
}

/** Reads the books of every organisation and of the operator's own object. */
export async function readAllBooks(folder: string): Promise<Books[]> {
  const [onDisk, stored] = await Promise.all([
    readObjects(join(folder, 'objects/main-Organisation'), readBooks),
    readObjects(join(folder, 'objects/storage-Files'), (rows) => rows('SELECT name, bytes FROM files', FileSchema)),
  ])
  const files = new Map(stored.flat().map((file) => [file.name, file.bytes]))
  return Promise.all(onDisk.map((books) => withFiles(books, files)))
}

const readBooks = (rows: ReadRows, ledger: string): OnDisk => {
  const log = rows(
    `SELECT position, hash, kind, at, iif(id IS NULL, NULL, lower(hex(id))) AS id, key_id, outcome, microeur, settles
     FROM entries ORDER BY position`,
    RowSchema,
  )
  const [progress] = rows('SELECT published_to, left_to FROM progress', ProgressSchema)
  return {
    ledger,
    keyIds: rows('SELECT id FROM keys', KeySchema).map(({ id }) => id),
    leaves: log.map(({ position, hash }) => ({ position, hash })),
    rows: log,
    contents: rows(
      'SELECT position, kind, entry, facts, expires_at FROM entries WHERE length(entry) > 0 ORDER BY position',
      ContentSchema,
    ),
    calls: rows('SELECT before, n, at, of_gateway, outcome FROM calls ORDER BY before, n', CallSchema),
    snapshots: rows('SELECT name, before, n, state FROM snapshots', SnapshotSchema),
    policyVersions: rows('SELECT version FROM policy_versions ORDER BY version', VersionSchema).map(
      ({ version }) => version,
    ),
    endedApprovals: rows('SELECT id, state FROM ended_approvals ORDER BY id', EndedApprovalSchema),
    levels: rows('SELECT level, stored, edge FROM tile_levels ORDER BY level', LevelSchema),
    anchors: rows('SELECT tree_size, document, taken_at FROM anchors ORDER BY tree_size', AnchorSchema),
    submittedTo: progress?.published_to ?? -1,
    leftTo: progress?.left_to ?? 0,
    objects: rows(
      `SELECT first, last, expires_day, key_fingerprint, data_keys.key
       FROM sealed_details LEFT JOIN data_keys ON data_keys.number = data_key ORDER BY first`,
      SealedSchema,
    ),
    contentKeys: readContentKeys(rows),
  }
}

const filesUnder = (prefix: string, files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> =>
  new Map([...files].flatMap(([name, file]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), file]] : [])))

async function withFiles(
  { ledger, contents, objects, leaves, contentKeys: keys, ...rest }: OnDisk,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Books> {
  const left = await openSealed(ledger, objects, files)
  const tiles = filesUnder(`log/${ledger}/tile/`, files)
  const mirrored = filesUnder(`${MIRROR_FOLDER}log/${ledger}/tile/`, files)
  const atHand = contents.map(({ expires_at: expiresAt, ...content }) => ({ ...content, expiresAt }))
  const entries = [...left, ...atHand].map(({ position, kind, entry, facts, expiresAt }) => ({
    position,
    kind,
    entry,
    expiresAt,
    facts: kind === RECEIPT_KIND && facts !== null ? FactsSchema.parse(JSON.parse(facts)) : null,
    answerSalt: kind === 'settlement' && facts !== null ? AnswerSaltSchema.parse(JSON.parse(facts)).answer_salt : null,
  }))
  const listed = objects.map((object) => sealedName(ledger, object))
  const stored = [...files.keys()].filter((name) => name.startsWith(`ledger/${ledger}/`))
  const prefix = contentPrefix(ledger)
  const content = { object: ledger, keys, files: new Map([...files].filter(([name]) => name.startsWith(prefix))) }
  const before = leavesInTiles(tiles, leaves[0]?.position ?? rest.leftTo)
  return { ...rest, tiles, mirrored, entries, leaves: [...before, ...leaves], sealed: { listed, stored }, content }
}

/** Those before `end`. */
function leavesInTiles(tiles: Books['tiles'], end: number): Leaf[] {
  return Array.from({ length: Math.ceil(end / TILE_WIDTH) }, (_, index) => {
    const tile = tiles.get(tilePath({ level: 0, index, width: TILE_WIDTH })) ?? new Uint8Array()
    return Array.from({ length: tile.length / HASH_BYTES }, (__, at) => ({
      position: index * TILE_WIDTH + at,
      hash: tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    }))
  })
    .flat()
    .slice(0, end)
}

export const faultIf = (isFault: boolean, fault: string): string[] => (isFault ? [fault] : [])

/** `key`: that it is sealed under; null while its entries are still in the database. */
export const SealedSchema = z.object({
  first: z.int(),
  last: z.int(),
  expires_day: z.int(),
  key_fingerprint: z.string(),
  key: bytes.nullable(),
})

export type Sealed = z.infer<typeof SealedSchema>

type LeftEntry = { position: number; kind: string; entry: Uint8Array; facts: string | null; expiresAt: number }

export const sealedName = (
  ledger: string,
  { first, last, expires_day: expiresDay, key_fingerprint: keyFingerprint }: Sealed,
): string => archiveObjectName(ledger, { first, last, expiresDay, keyFingerprint })

/** In the order of the log. An object that is missing or does not open has none: its entries are then missing from the books. */
export async function openSealed(
  ledger: string,
  objects: readonly Sealed[],
  files: ReadonlyMap<string, Uint8Array>,
): Promise<LeftEntry[]> {
  const opened = await Promise.all(
    objects.map(async (object) => {
      const name = sealedName(ledger, object)
      const file = files.get(name)
      if (file === undefined || object.key === null) return []
      const packed = await unseal(await importSealingKey(new Uint8Array(object.key)), name, new Uint8Array(file))
      return packed === null ? [] : unpackEntries(packed)
    }),
  )
  return opened
    .flat()
    .map(({ position, kind, entry, facts, expiresAt }) => ({ position, kind, entry, facts, expiresAt }))
    .toSorted((a, b) => a.position - b.position)
}
