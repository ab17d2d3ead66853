// A public log of the invented books' receipts, in which two of five came late, and the heads that were served of it.
import { signPublicHead } from '../../../../src/evidence/records/tree-head.ts'
import { tilePath, tilesBetween } from '../../../../src/evidence/tree/tiles.ts'
import type { Books } from './books.ts'
import { decisionsIn } from './decisions.ts'
import { growTree } from './ledger-faults.ts'
import type { PublicBooks } from './public-books.ts'
import { inventBooks, type Invented } from './invented-books.ts'

export type InventedLog = {
  log: PublicBooks & { files: Map<string, Uint8Array> }
  ledger: Books
  heads: unknown[]
  key: Invented['key']
}

const NOON = Date.UTC(2091, 2, 15, 12)
const SIZES = [0, 3, 5]

export async function inventPublicLog(): Promise<InventedLog> {
  const { books: ledger, key } = await inventBooks()
  const receipts = decisionsIn(ledger)
  const leaves = receipts.map(({ position }, at) => ({
    position: at,
    hash: ledger.leaves[position]?.hash ?? new Uint8Array(),
  }))
  const attestations = receipts.map(({ record }, position) => ({
    position,
    attestation_id: record.attestation_id.replaceAll('-', ''),
  }))
  const tree = growTree(leaves)
  const heads = await Promise.all(
    SIZES.map((treeSize) => {
      const root = Buffer.from(tree.rootAt(treeSize), 'hex')
      return signPublicHead({ treeSize, root, at: NOON + 1000 * treeSize }, key)
    }),
  )
  const files = new Map<string, Uint8Array>([['public-log/head.json', Buffer.from(JSON.stringify(heads.at(-1)))]])
  for (const tile of tilesBetween(-1, leaves.length)) {
    files.set(`public-log/tile/${tilePath(tile)}`, Buffer.concat(leaves.map(({ hash }) => hash)))
  }
  return {
    log: {
      leaves,
      frontierRoot: tree.rootAt(leaves.length),
      attestations,
      anchored: [],
      index: structuredClone(attestations),
      heads: heads.slice(-1).map(({ tree_size, root_hash, timestamp, signature }) => ({
        tree_size,
        root_hash,
        timestamp,
        signature,
      })),
      levels: [],
      files,
    },
    ledger: { ...ledger, submittedTo: ledger.leaves.length - 1 },
    heads,
    key,
  }
}
