// Trees of any size, whose leaves are the hashes of their positions: whole ones, and ones too large to be made, of which
// most leaves are those of the first tile again.
import { hashLeaf, hashNode } from '../../../src/evidence/tree/merkle-hash.ts'
import type { NodeReader } from '../../../src/evidence/tree/merkle-tree.ts'
import { sha256 } from '../../../src/platform/sha256.ts'
import type { TileLevel } from '../../../src/tiles/tile-levels.store.ts'
import { hashesOf } from '../../support/log-tree.ts'
import { HIGHEST_TILE_LEVEL, type Tile, type TileBytes } from '../../../src/evidence/tree/tiles.ts'

export type InventedTree = { read: NodeReader; leaves: (first: number, count: number) => TileBytes }

const leafOf = (position: number): Uint8Array => hashLeaf(new TextEncoder().encode(String(position)), sha256)

/** @param own the tiles of level 0 whose leaves are like no others; null: all are */
export function inventTree(own: readonly number[] | null): InventedTree {
  const known = new Map<string, Uint8Array>()
  const isOwn = (level: number, index: number): boolean => {
    const [first, end] = [Math.floor((index * 2 ** level) / 256), Math.ceil(((index + 1) * 2 ** level) / 256)]
    return own === null || own.some((tile) => tile >= first && tile < end)
  }
  const read: NodeReader = (level, index) => {
    const at = isOwn(level, index) ? index : level >= 8 ? 'any' : index % 2 ** (8 - level)
    const name = `${level}/${at}${isOwn(level, index) ? '' : ' of any'}`
    const hash =
      known.get(name) ??
      (level === 0
        ? leafOf(at === 'any' ? 0 : at)
        : hashNode(read(level - 1, index * 2), read(level - 1, index * 2 + 1), sha256))
    known.set(name, hash)
    return hash
  }
  return { read, leaves: (first, count) => bytesAt(read, { level: 0, index: first, width: count }) }
}

/** The bytes of a tile of it. */
export const tileBytes = ({ read }: InventedTree, tile: Tile): TileBytes => bytesAt(read, hashesOf(tile))

function bytesAt(read: NodeReader, { level, index, width }: Tile): TileBytes {
  const bytes = new Uint8Array(width * 32)
  for (let at = 0; at < width; at += 1) bytes.set(read(level, index + at), at * 32)
  return bytes
}

/** Returns the levels after so many tiles of level 0 are stored. */
export function levelsOf(tree: InventedTree, stored: number): TileLevel[] {
  const levels: TileLevel[] = []
  for (let level = 0; level <= HIGHEST_TILE_LEVEL; level += 1) {
    const below = Math.floor(stored / 256 ** (level - 1))
    const full = Math.floor(stored / 256 ** level)
    const width = level === 0 ? 0 : below - full * 256
    levels.push({ level, stored: full, edge: tileBytes(tree, { level, index: full, width }) })
  }
  return levels
}
