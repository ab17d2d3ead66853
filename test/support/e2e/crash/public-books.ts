// The public log as it stands on disk: what its object has, what its index says, and the files that readers get.
import { join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { frontierFromBytes, rootOf } from '../../../../src/evidence/tree/frontier.ts'
import { HASH_BYTES, TILE_WIDTH, tilePath } from '../../../../src/evidence/tree/tiles.ts'
import { bytes, readObjects } from './databases.ts'

const BatchSchema = z.object({
  first: z.int(),
  source: z.string(),
  hashes: bytes,
  ids: bytes,
  origins: bytes,
  frontier: bytes,
})
const AttestationSchema = z.object({ position: z.int(), attestation_id: z.string() })
const HeadSchema = z.object({ tree_size: z.int(), root_hash: z.string(), timestamp: z.string(), signature: z.string() })
const LevelSchema = z.object({ level: z.int(), stored: z.int() })
const FileSchema = z.object({ name: z.string(), bytes })

type Attestation = z.infer<typeof AttestationSchema>

export type PublicBooks = {
  /** From tiles where they are in no row any more. */
  leaves: { position: number; hash: Uint8Array }[]
  /** Which attestation a leaf is of, as 32 hexadecimal digits; from the index where it is in no row any more. */
  attestations: Attestation[]
  /** Those of them that are anchors of a ledger's log at a size, where they are in a row still. */
  anchored: { source: string; size: number; attestation_id: string }[]
  /** Root of the frontier that the newest batch stores. */
  frontierRoot: string | null
  /** Attestations in all shards of the index. */
  index: Attestation[]
  /** The newest, as it was signed last. */
  heads: z.infer<typeof HeadSchema>[]
  /** How many full tiles are stored in both buckets, level by level. */
  levels: z.infer<typeof LevelSchema>[]
  /** By name. */
  files: ReadonlyMap<string, Uint8Array>
}

const ID_BYTES = 16
const ORIGIN_BYTES = 8

/** Empty where nothing was ever published. */
export async function readPublicBooks(folder: string): Promise<PublicBooks> {
  const objects = (name: string): string => join(folder, 'objects', name)
  const [logs, shards, stored] = await Promise.all([
    readObjects(objects('main-PublicLog'), (rows) => ({
      batches: rows('SELECT first, source, hashes, ids, origins, frontier FROM batches ORDER BY first', BatchSchema),
      levels: rows('SELECT level, stored FROM tile_levels ORDER BY level', LevelSchema),
      heads: rows('SELECT tree_size, lower(hex(root)) AS root_hash, timestamp, signature FROM heads', HeadSchema),
    })),
    readObjects(objects('main-PublicLogIndex'), (rows) =>
      rows(
        'SELECT position, lower(hex(attestation_id)) AS attestation_id FROM entries ORDER BY position',
        AttestationSchema,
      ),
    ),
    readObjects(objects('storage-Files'), (rows) => rows('SELECT name, bytes FROM files', FileSchema)),
  ])
  const { batches, heads, levels } = logs[0] ?? { batches: [], heads: [], levels: [] }
  const [index, files] = [shards.flat(), new Map(stored.flat().map((file) => [file.name, file.bytes]))]
  const first = batches[0]?.first ?? 0
  const newest = batches.at(-1)
  return {
    leaves: [...leavesInTiles(files, first), ...batches.flatMap((batch) => leavesFrom(batch.first, batch.hashes))],
    attestations: [
      ...index.filter(({ position }) => position < first).toSorted((a, b) => a.position - b.position),
      ...batches.flatMap(attestationsIn),
    ],
    anchored: batches.flatMap(anchorsIn),
    frontierRoot: newest === undefined ? null : bytesToHex(rootOf(frontierFromBytes(newest.frontier))),
    index,
    heads,
    levels,
    files,
  }
}

/** Those before `end`. */
function leavesInTiles(files: PublicBooks['files'], end: number): PublicBooks['leaves'] {
  return Array.from({ length: Math.ceil(end / TILE_WIDTH) }, (_, index) => {
    const tile = files.get(`public-log/tile/${tilePath({ level: 0, index, width: TILE_WIDTH })}`)
    return leavesFrom(index * TILE_WIDTH, tile ?? new Uint8Array())
  })
    .flat()
    .slice(0, end)
}

const leavesFrom = (first: number, hashes: Uint8Array): PublicBooks['leaves'] =>
  piecesOf(hashes, HASH_BYTES).map((hash, at) => ({ position: first + at, hash }))

const attestationsIn = ({ first, ids }: z.infer<typeof BatchSchema>): Attestation[] =>
  piecesOf(ids, ID_BYTES).map((id, at) => ({ position: first + at, attestation_id: bytesToHex(id) }))

function anchorsIn({ source, ids, origins }: z.infer<typeof BatchSchema>): PublicBooks['anchored'] {
  if (!source.endsWith('/anchors')) return []
  const sizes = piecesOf(origins, ORIGIN_BYTES).map((bytesOf) => Number(`0x${bytesToHex(bytesOf)}`))
  return piecesOf(ids, ID_BYTES).map((id, at) => ({ source, size: sizes[at] ?? 0, attestation_id: bytesToHex(id) }))
}

const piecesOf = (whole: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: whole.length / size }, (_, at) => whole.subarray(at * size, (at + 1) * size))
