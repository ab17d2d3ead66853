// Helps tests to build the tree of a log, and to find a tile's hashes in it.
import { appendLeaf, type NodeReader, type StoredNode } from '../../src/evidence/tree/merkle-tree.ts'
import type { Tile } from '../../src/evidence/tree/tiles.ts'

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
