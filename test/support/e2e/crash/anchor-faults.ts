// Finds faults of a ledger's anchors: each is compared with the ledger's own leaves and with the public log.
import { bytesToHex } from '@noble/hashes/utils.js'
import { anchorLeaf, readAnchor, type AnchorDocument } from '../../../../src/evidence/bundles/anchor.ts'
import type { Books } from './books.ts'
import { faultIf } from './fault-if.ts'
import { growTree } from './ledger-faults.ts'
import type { PublicBooks } from './public-books.ts'

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
