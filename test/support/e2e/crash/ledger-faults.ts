// Finds faults in a ledger: leaves and their entries, rows, snapshots, tiles, and all heads ever served of it.
// Everything is hashed again.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { type HeadVerdict, verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { judgeFacts, saltHash } from '../../../../src/evidence/records/facts-commitment.ts'
import { leafHash } from '../../../../src/evidence/entry.ts'
import { frontierFromBytes, rootOf } from '../../../../src/evidence/tree/frontier.ts'
import { parseTilePath, TILE_HEIGHT, TILE_WIDTH, tilePath } from '../../../../src/evidence/tree/tiles.ts'
import { type NodeReader, rootAt } from '../../../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves } from '../../log-tree.ts'
import { readSnapshot } from '../../../../src/organisation/journal/state/snapshot.ts'
import { type Books, faultIf } from './books.ts'
import {
  contentsOf,
  decisionsIn,
  endsOfReadingsIn,
  positionsOfReceipts,
  readingsIn,
  settlementsIn,
} from './decisions.ts'

export type KeptTree = {
  size: number
  rootAt: (size: number) => string
  /** Returns the hash of a complete subtree. */
  hashAt: (level: number, index: number) => Uint8Array
}

const nameOf = ({ level, index }: { level: number; index: number }): string => `${level}/${index}`

const none: NodeReader = (level, index) => {
  throw new RangeError(`no node ${level}/${index}`)
}

/** The tree over these leaves, made from nothing but them. */
export function growTree(leaves: readonly { hash: Uint8Array }[]): KeptTree {
  const hashes = leaves.map(({ hash }) => hash)
  const byName = new Map(appendLeaves(0, hashes, none).map((node) => [nameOf(node), node.hash]))
  const hashAt: NodeReader = (level, index) => byName.get(nameOf({ level, index })) ?? none(level, index)
  return { size: leaves.length, hashAt, rootAt: (size) => bytesToHex(rootAt(size, hashAt)) }
}

export function findLedgerFaults(books: Books, tree: KeptTree): string[] {
  return [
    ...findLeafFaults(books),
    ...findRowFaults(books),
    ...findCommitmentFaults(books),
    ...findSnapshotFaults(books, tree),
    ...findTileFaults(books, tree),
  ]
}

function findLeafFaults({ leaves, entries }: Books): string[] {
  const gaps = leaves
    .filter(({ position }, at) => position !== at)
    .map(({ position }) => `leaf ${position} is misplaced`)
  const hashes = new Map(leaves.map(({ position, hash }) => [position, bytesToHex(hash)]))
  const wrong = entries
    .filter(({ position, entry }) => hashes.get(position) !== bytesToHex(leafHash(entry)))
    .map(({ position }) => `entry ${position} is not what its leaf is the hash of`)
  const isUneven = leaves.length !== entries.length
  return [...gaps, ...wrong, ...faultIf(isUneven, `${leaves.length} leaves for ${entries.length} entries`)]
}

type Row = Books['rows'][number]
type Said = Partial<Pick<Row, 'id' | 'key_id' | 'outcome' | 'microeur' | 'settles'>>

const ApprovalRowSchema = z.object({ step: z.string(), key_id: z.string().optional() })

const MEMBERS = ['key_id', 'outcome', 'microeur', 'settles'] as const

/** Compares each row's columns with its entry. Only receipts are found by an id, their attestation_id. */
function findRowFaults(books: Books): string[] {
  const decisions = decisionsIn(books)
  const unreadable = positionsOfReceipts(books).length - decisions.length
  const said = new Map<number, Said>()
  for (const { position, record, facts } of decisions) {
    const microeur = record.outcome === 'ALLOWED' ? facts.reserve_microeur : null
    const id = record.attestation_id.replaceAll('-', '')
    said.set(position, { id, key_id: facts.key_id, outcome: record.outcome, microeur, settles: null })
  }
  for (const { position, settles, ended, costMicroeur } of settlementsIn(books)) {
    said.set(position, { id: null, key_id: null, outcome: ended, microeur: costMicroeur, settles })
  }
  for (const { position, content } of contentsOf(books, 'approval', ApprovalRowSchema)) {
    said.set(position, {
      id: null,
      key_id: content.key_id ?? null,
      outcome: content.step,
      microeur: null,
      settles: null,
    })
  }
  for (const { position, keyId } of readingsIn(books)) {
    said.set(position, { id: null, key_id: keyId, outcome: null, settles: null })
  }
  for (const { position, settles, ended, costMicroeur } of endsOfReadingsIn(books)) {
    said.set(position, { id: null, settles, outcome: ended, microeur: costMicroeur })
  }
  const rows = books.rows.flatMap((row) => {
    const wanted: Said = said.get(row.position) ?? { id: null, settles: null }
    return [
      ...faultIf(row.id !== wanted.id, `receipt ${row.position} is not found by its attestation_id`),
      ...MEMBERS.filter((name) => wanted[name] !== undefined && row[name] !== wanted[name]).map(
        (name) => `the row of entry ${row.position} has another ${name} than the entry`,
      ),
    ]
  })
  return [...rows, ...faultIf(unreadable !== 0, `${unreadable} receipts cannot be read`)]
}

const saltHashOf = (salt: string | null = null): string | null => salt && saltHash(salt)

/** Each record's id and settlement commit to the facts, and each answer in the log to its salt. */
function findCommitmentFaults(books: Books): string[] {
  const hashes = new Map<number, string>()
  const decisions = decisionsIn(books).flatMap(({ position, record, facts }) => {
    const judged = judgeFacts(facts, record.attestation_id)
    if (typeof judged === 'string') return [`the facts of decision ${position} are not those of its id: ${judged}`]
    hashes.set(position, judged.sha256)
    return []
  })
  const salts = new Map(books.entries.map(({ position, answerSalt }) => [position, answerSalt]))
  const settlements = settlementsIn(books)
  return [
    ...decisions,
    ...settlements
      .filter(({ settles, factsSha256 }) => hashes.has(settles) && factsSha256 !== hashes.get(settles))
      .map(({ position, settles }) => `settlement ${position} has not the hash of the facts of ${settles}`),
    ...settlements
      .filter(({ position, saltSha256 }) => saltSha256 !== saltHashOf(salts.get(position)))
      .map(({ position }) => `settlement ${position} has not the salt of its answer`),
  ]
}

/**
 * Each is of a place that there is, and has the edge of the log's tree as it was there. Calls from before the oldest are gone:
 * a newest snapshot from before it is never read.
 */
function findSnapshotFaults({ snapshots, calls }: Books, tree: KeptTree): string[] {
  const oldest = snapshots.find(({ name }) => name === 'oldest')?.before ?? 0
  return snapshots.flatMap(({ name, before, n, state }) => {
    if (before > tree.size) return [`the ${name} snapshot is of ${before} entries, and there are ${tree.size}`]
    const there = calls.filter((call) => call.before === before).length
    const { frontier, state: kept } = readSnapshot(state)
    const root = bytesToHex(rootOf(frontierFromBytes(hexToBytes(frontier))))
    return [
      ...faultIf(
        before >= oldest && n > there,
        `the ${name} snapshot is of ${n} calls before entry ${before}, and there are ${there}`,
      ),
      ...faultIf(root !== tree.rootAt(before), `the ${name} snapshot has another tree than the log has`),
      ...faultIf(kept.next !== before, `the ${name} snapshot has the state of another place`),
    ]
  })
}

/** A tile that is stored holds the tree's hashes, also where the database does not know of it yet. */
function findTileFaults({ tiles, mirrored, levels }: Books, tree: KeptTree): string[] {
  const hashesAt = (level: number, from: number, to: number): Buffer =>
    Buffer.concat(Array.from({ length: to - from }, (_, at) => tree.hashAt(level * TILE_HEIGHT, from + at)))
  const wrong = [...tiles].filter(([path, bytes]) => {
    const [level = '', ...rest] = path.split('/')
    const tile = parseTilePath(level, rest.join('/'))
    if (tile === null) return true
    const from = tile.index * TILE_WIDTH
    const isBeyond = (from + TILE_WIDTH) * TILE_WIDTH ** tile.level > tree.size
    return isBeyond || !hashesAt(tile.level, from, from + TILE_WIDTH).equals(bytes)
  })
  const storedBelow = (level: number): number => levels.find((one) => one.level === level - 1)?.stored ?? 0
  return [
    ...wrong.map(([path]) => `tile ${path} is not of this log`),
    ...levels.flatMap(({ level, stored }) =>
      Array.from({ length: stored }, (_, index) => tilePath({ level, index, width: TILE_WIDTH }))
        .filter((path) => !tiles.has(path))
        .map((path) => `tile ${path} is missing`),
    ),
    ...levels.flatMap(({ level, stored }) =>
      Array.from({ length: stored }, (_, index) => tilePath({ level, index, width: TILE_WIDTH }))
        .filter((path) => !Buffer.from(tiles.get(path) ?? []).equals(mirrored.get(path) ?? new Uint8Array()))
        .map((path) => `tile ${path} is not in both buckets`),
    ),
    ...levels
      .filter(({ level, stored, edge }) => {
        const end = level === 0 ? 0 : storedBelow(level)
        const from = level === 0 ? 0 : stored * TILE_WIDTH
        return end * TILE_WIDTH ** level > tree.size || !hashesAt(level, from, Math.max(from, end)).equals(edge)
      })
      .map(({ level }) => `the edge of level ${level} is not that of the tree`),
  ]
}

/** By text: checking a signature costs more than all the rest, and heads are served again and again. */
const verdicts = new Map<string, HeadVerdict>()

function judgeHead(text: string, publicKey: string): HeadVerdict {
  const name = `${publicKey} ${text}`
  const verdict = verdicts.get(name) ?? verifyHead(JSON.parse(text), { keys: [publicKey] })
  verdicts.set(name, verdict)
  return verdict
}

/** Every head must be signed with the pinned key, and be the root over as many of today's leaves as it says. */
export function findHeadFaults(heads: readonly unknown[], tree: KeptTree, publicKey: string): string[] {
  const roots = new Map<number, string>()
  return [...new Set(heads.map((head) => JSON.stringify(head)))].flatMap((text) => {
    const verdict = judgeHead(text, publicKey)
    if (!verdict.valid) return [`a head was served that is not valid: ${verdict.fault}`]
    const { treeSize, rootHash } = verdict
    const other = roots.get(treeSize) ?? rootHash
    roots.set(treeSize, rootHash)
    if (other !== rootHash) return [`two heads of size ${treeSize} have different roots`]
    if (treeSize > tree.size) return [`a head of size ${treeSize} was served, and there are ${tree.size} leaves`]
    return faultIf(tree.rootAt(treeSize) !== rootHash, `the head of size ${treeSize} is not of this history`)
  })
}
