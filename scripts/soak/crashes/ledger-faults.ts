// What is wrong with a ledger in itself: its leaves, what they are the hashes of, its tree, its index of receipts; and
// with the heads that were ever served of it. Everything is hashed again.
import { bytesToHex } from '@noble/hashes/utils.js'
import { verifyHead, type HeadVerdict } from '../../../src/attestation/tree-head.ts'
import { leafHash } from '../../../src/ledger/entry.ts'
import { appendLeaves, rootAt, type NodeReader, type StoredNode } from '../../../src/ledger/merkle.ts'
import type { Books, Leaves } from './books.ts'
import { faultIf } from './fault-if.ts'
import { decisionsIn, positionsOfReceipts } from './decisions.ts'

export type KeptTree = { size: number; rootAt: (size: number) => string }

const nameOf = ({ level, index }: { level: number; index: number }): string => `${level}/${index}`

const none: NodeReader = (level, index) => {
  throw new RangeError(`no node ${level}/${index}`)
}

/** The tree over these leaves, made from nothing but them. */
export function growTree(leaves: readonly { hash: Uint8Array }[]): KeptTree & { nodes: StoredNode[] } {
  const hashes = leaves.map(({ hash }) => hash)
  const nodes = appendLeaves(0, hashes, none)
  const byName = new Map(nodes.map((node) => [nameOf(node), node.hash]))
  const read: NodeReader = (level, index) => byName.get(nameOf({ level, index })) ?? none(level, index)
  return { size: leaves.length, nodes, rootAt: (size) => bytesToHex(rootAt(size, read)) }
}

export function findLedgerFaults(books: Books): string[] {
  return [...findLeafFaults(books), ...findTreeFaults(books), ...findIndexFaults(books)]
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

export function findTreeFaults({ leaves, nodes }: Leaves): string[] {
  const grown = growTree(leaves).nodes.filter(({ level }) => level > 0)
  const stored = new Map(
    nodes.map(({ level, position, hash }) => [nameOf({ level, index: position }), bytesToHex(hash)]),
  )
  const wrong = grown
    .filter((node) => stored.get(nameOf(node)) !== bytesToHex(node.hash))
    .map((node) => `node ${nameOf(node)} is missing or wrong`)
  const isUneven = stored.size !== grown.length
  return [...wrong, ...faultIf(isUneven, `${stored.size} nodes where ${grown.length} belong`)]
}

/** Each receipt is found by its attestation_id, and nothing else is. */
function findIndexFaults(books: Books): string[] {
  const decisions = decisionsIn(books)
  const unreadable = positionsOfReceipts(books).length - decisions.length
  const index = new Map(books.receipts.map(({ attestation_id: id, position }) => [id, position]))
  const wrong = decisions
    .filter(({ position, record }) => index.get(record.attestation_id.replaceAll('-', '')) !== position)
    .map(({ position }) => `receipt ${position} is not found by its attestation_id`)
  return [
    ...wrong,
    ...faultIf(unreadable !== 0, `${unreadable} receipts cannot be read`),
    ...faultIf(index.size !== decisions.length, `${index.size} receipts in the index of ${decisions.length}`),
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
