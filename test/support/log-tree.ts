// Helps tests to build the tree of a log, and to find a tile's hashes in it.
import { hashNode } from '../../src/evidence/tree/merkle-hash.ts'
import type { NodeReader, StoredNode } from '../../src/evidence/tree/merkle-tree.ts'
import type { Tile } from '../../src/evidence/tree/tiles.ts'
import { sha256 } from '../../src/platform/sha256.ts'

/**
 * Returns the nodes that a new leaf completes in a tree of `size` leaves: the leaf, and a parent for each 1 at the end of
 * `size` in binary. That is one parent on average and log2(size) at most, with as many reads.
 */
export function appendLeaf(size: number, leafHash: Uint8Array, read: NodeReader): StoredNode[] {
  const nodes: StoredNode[] = [{ level: 0, index: size, hash: leafHash }]
  let hash = leafHash
  let index = size
  for (let level = 0; index % 2 === 1; level += 1) {
    hash = hashNode(read(level, index - 1), hash, sha256)
    index = (index - 1) / 2
    nodes.push({ level: level + 1, index, hash })
  }
  return nodes
}

/** Appends several leaves. Reads only nodes that existed before. */
export function appendLeaves(size: number, leafHashes: readonly Uint8Array[], read: NodeReader): StoredNode[] {
  const added = new Map<string, StoredNode>()
  const readBoth: NodeReader = (level, index) => added.get(`${level}/${index}`)?.hash ?? read(level, index)
  for (const [at, leafHash] of leafHashes.entries()) {
    for (const node of appendLeaf(size + at, leafHash, readBoth)) added.set(`${node.level}/${node.index}`, node)
  }
  return [...added.values()]
}

/** The first hash of a tile, on the tree's level, and how many follow: https://c2sp.org/tlog-tiles. */
export const hashesOf = ({ level, index, width }: Tile): Tile => ({ level: level * 8, index: index * 256, width })
