// Finds faults in the public log: in itself, in what readers are served, and beside the ledgers of its receipts. It has each
// receipt once, in its ledger's order, and beside receipts only anchors.
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { parseCheckpoint } from '../../../../src/evidence/checkpoint/checkpoint.ts'
import { parseNote } from '../../../../src/evidence/checkpoint/signed-note.ts'
import { HASH_BYTES, TILE_WIDTH, tilePath, tilesBetween } from '../../../../src/evidence/tree/tiles.ts'
import { type Books, faultIf } from './books.ts'
import { decisionsIn } from './decisions.ts'
import { findHeadFaults, growTree, type KeptTree } from './ledger-faults.ts'
import type { PublicBooks } from './public-books.ts'
import { MIRROR_FOLDER } from './steps.ts'
import { type AnchorDocument, anchorLeaf, readAnchor } from '../../../../src/evidence/bundles/anchor.ts'

/** The heads of the log as they were ever served. */
export type PublicWitness = {
  heads: readonly unknown[]
  publicKey: string
  /** Leaves that were seen to be anchors: their documents and their rows may be gone by now. */
  anchorIds?: ReadonlySet<string>
}

export function findPublicFaults(log: PublicBooks, ledgers: readonly Books[], witness: PublicWitness): string[] {
  const tree = growTree(log.leaves)
  return [
    ...log.leaves.flatMap(({ position }, at) => faultIf(position !== at, `leaf ${position} is misplaced`)),
    ...findFrontierFaults(log, tree),
    ...findReceiptFaults(log, ledgers, witness.anchorIds ?? new Set()),
    ...findAnchorOrderFaults(log),
    ...ledgers.flatMap((ledger) => findAnchorFaults(log, ledger)),
    ...ledgers.flatMap((ledger) => findOrderFaults(log, ledger)),
    ...findServedFaults(log, tree, witness),
    ...findTileFaults(log),
    ...findStoredFaults(log),
    ...findCheckpointFaults(log, tree),
  ].map((fault) => `public log: ${fault}`)
}

/** Checks the frontier, because the next leaf is worked out from it. */
const findFrontierFaults = ({ frontierRoot }: PublicBooks, tree: KeptTree): string[] =>
  faultIf(tree.size > 0 && frontierRoot !== tree.rootAt(tree.size), 'the frontier is not that of the leaves')

const idOf = (attestationId: string): string => attestationId.replaceAll('-', '')

/** Each leaf is a receipt of a ledger, under its attestation_id, and no receipt is there twice. */
function findReceiptFaults(
  { leaves, attestations, anchored, index }: PublicBooks,
  ledgers: readonly Books[],
  seen: ReadonlySet<string>,
): string[] {
  const anchors = new Set([...seen, ...anchored.map(({ attestation_id: id }) => id)])
  const receipts = new Map(
    ledgers.flatMap((ledger) =>
      decisionsIn(ledger).map(
        ({ position, record }) => [idOf(record.attestation_id), ledger.leaves[position]] as const,
      ),
    ),
  )
  const placed = new Map(attestations.map(({ attestation_id: id, position }) => [id, position]))
  const isOther = (id: string, position: number): boolean => {
    const [there, here] = [receipts.get(id)?.hash, leaves[position]?.hash]
    return there === undefined || here === undefined || !Buffer.from(there).equals(here)
  }
  return [
    ...faultIf(attestations.length !== leaves.length, `${leaves.length} leaves of ${attestations.length} attestations`),
    ...faultIf(placed.size !== attestations.length, 'an attestation has two leaves'),
    ...attestations.flatMap(({ attestation_id: id, position }) =>
      faultIf(!anchors.has(id) && isOther(id, position), `leaf ${position} is no receipt of a ledger`),
    ),
    ...index.flatMap(({ attestation_id: id, position }) =>
      faultIf(placed.get(id) !== position, `the index has ${id} at ${position}, where it is not`),
    ),
  ]
}

/** A ledger's receipts are taken in their order without a gap, and none is missing that it believes handed over. */
function findOrderFaults({ attestations }: PublicBooks, ledger: Books): string[] {
  const placed = new Map(attestations.map(({ attestation_id: id, position }) => [id, position]))
  const places = decisionsIn(ledger).map(({ position, record }) => ({
    position,
    place: placed.get(idOf(record.attestation_id)) ?? Infinity,
  }))
  return [
    ...places.flatMap(({ position, place }, at) =>
      faultIf(place < (places[at - 1]?.place ?? -1), `receipt ${position} of a ledger was taken before an older one`),
    ),
    ...places.flatMap(({ position, place }) =>
      faultIf(place === Infinity && position <= ledger.submittedTo, `receipt ${position} of a ledger is lost`),
    ),
  ]
}

/** The members that a head has on disk too. */
const HeadSchema = z.object({ tree_size: z.int(), root_hash: z.string(), timestamp: z.string(), signature: z.string() })

type ServedHead = z.infer<typeof HeadSchema>

const HEAD_FILE = 'public-log/head.json'

function servedNow({ files }: PublicBooks): unknown[] {
  const file = files.get(HEAD_FILE)
  return file === undefined ? [] : [JSON.parse(new TextDecoder().decode(file))]
}

/**
 * Checks each head that was served: it is on disk, or is of a smaller log, or was signed again. The head on disk is of no
 * earlier time than any of them.
 */
function findServedFaults(log: PublicBooks, tree: KeptTree, { heads, publicKey }: PublicWitness): string[] {
  const [stored] = log.heads
  const isBefore = (head: ServedHead): boolean =>
    stored !== undefined &&
    (head.signature === stored.signature ||
      (head.tree_size < stored.tree_size && head.timestamp <= stored.timestamp) ||
      (head.tree_size === stored.tree_size && head.timestamp < stored.timestamp))
  const served = [...servedNow(log), ...heads].map((head) => HeadSchema.parse(head))
  return [
    ...findHeadFaults([...heads, ...servedNow(log)], tree, publicKey),
    ...served
      .filter((head) => !isBefore(head))
      .map(({ tree_size: size }) => `the head of size ${size} was served and is not stored`),
  ]
}

/** Checks that the tiles have all leaves of the served head. */
function findTileFaults(log: PublicBooks): string[] {
  const [head] = servedNow(log)
  if (head === undefined) return []
  const { tree_size: size } = HeadSchema.parse(head)
  const bottom = tilesBetween(-1, size).filter(({ level }) => level === 0)
  const found = bottom.map((tile) => {
    const names = [tile, { ...tile, width: TILE_WIDTH }].map((one) => `public-log/tile/${tilePath(one)}`)
    const file = names.map((name) => log.files.get(name)).find((one) => one !== undefined)
    return (file ?? new Uint8Array()).subarray(0, tile.width * HASH_BYTES)
  })
  const leaves = log.leaves.slice(0, size).map(({ hash }) => hash)
  const isOther = !Buffer.concat(found).equals(Buffer.concat(leaves))
  return faultIf(isOther, `the tiles of the head of size ${size} do not hold its leaves`)
}

/** Checks that both buckets have every tile listed as stored, with the same bytes. */
function findStoredFaults({ levels, files }: PublicBooks): string[] {
  return levels.flatMap(({ level, stored }) =>
    Array.from({ length: stored }, (_, index) => `public-log/tile/${tilePath({ level, index, width: TILE_WIDTH })}`)
      .filter((name) => {
        const [file, mirrored] = [files.get(name), files.get(`${MIRROR_FOLDER}${name}`)]
        return file === undefined || mirrored === undefined || !Buffer.from(file).equals(mirrored)
      })
      .map((name) => `${name} is not in both buckets`),
  )
}

/** The checkpoint that is served is of this log, and of no head that is not stored. */
function findCheckpointFaults({ files, heads }: PublicBooks, tree: KeptTree): string[] {
  const file = files.get('public-log/checkpoint')
  if (file === undefined) return []
  const read = parseNote(file)
  const checkpoint = read.ok ? parseCheckpoint(read.note.text) : null
  if (checkpoint === null) return ['what is served as the checkpoint is none']
  const { size, root } = checkpoint
  const stored = heads[0]?.tree_size ?? -1
  if (size > stored) return [`the checkpoint is of size ${size}, and the head that is stored of ${stored}`]
  return faultIf(tree.rootAt(size) !== bytesToHex(root), `the checkpoint of size ${size} is not of this history`)
}

/** Returns the receipts that are not in the log or its index after all is published. */
export function findUnpublished(log: PublicBooks, ledgers: readonly Books[]): string[] {
  const placed = new Set(log.attestations.map(({ attestation_id: id }) => id))
  const indexed = new Set(log.index.map(({ attestation_id: id }) => id))
  return ledgers.flatMap(decisionsIn).flatMap(({ record }) => {
    const id = idOf(record.attestation_id)
    return placed.has(id) && indexed.has(id) ? [] : [`public log: ${record.attestation_id} is not in it`]
  })
}

/** One that waits, and the two newest that were taken. */
const MOST_ROWS = 3

export const idOfAnchor = ({ anchor_id: id }: AnchorDocument): string => id.replaceAll('-', '')

export const anchorsIn = ({ anchors }: Pick<Books, 'anchors'>): AnchorDocument[] =>
  anchors.flatMap(({ document }) => readAnchor(JSON.parse(document)) ?? [])

/** Each is a head that the log has had; those that the public log is said to have are there, as they were made. */
export function findAnchorFaults(log: PublicBooks, ledger: Books): string[] {
  const documents = anchorsIn(ledger)
  const tree = growTree(ledger.leaves)
  const leaves = new Map(log.attestations.map(({ attestation_id: id, position }) => [id, log.leaves[position]?.hash]))
  const hasTaken = new Set(ledger.anchors.filter(({ taken_at: at }) => at !== null).map(({ tree_size: size }) => size))
  return [
    ...faultIf(documents.length !== ledger.anchors.length, 'an anchor of a ledger cannot be read'),
    ...faultIf(ledger.anchors.length > MOST_ROWS, `a ledger has ${ledger.anchors.length} anchors`),
    ...documents.flatMap((document) => {
      const { tree_size: size, root_hash: root } = document
      const isOfLog = size <= tree.size && tree.rootAt(size) === root
      return faultIf(!isOfLog, `the anchor of size ${size} of a ledger is not of its history`)
    }),
    ...documents.flatMap((document) => {
      const { tree_size: size } = document
      const there = leaves.get(idOfAnchor(document))
      if (there === undefined) return faultIf(hasTaken.has(size), `the anchor of size ${size} of a ledger is lost`)
      const isOther = bytesToHex(there) !== bytesToHex(anchorLeaf(document))
      return faultIf(isOther, `the anchor of size ${size} of a ledger has another leaf`)
    }),
  ]
}

/** No log is anchored twice at one size, nor at a smaller one later. */
export function findAnchorOrderFaults({ anchored }: PublicBooks): string[] {
  return [...Map.groupBy(anchored, ({ source }) => source).values()].flatMap((own) =>
    own.flatMap(({ size }, at) =>
      faultIf(size <= (own[at - 1]?.size ?? 0), `a ledger was anchored at size ${size} after a size as large`),
    ),
  )
}
