// The public log as it stands on disk: what its object has, what its index says, and the files that readers get.
import { join } from 'node:path'
import { z } from 'zod'
import { readLeaves, type Leaves } from './books.ts'
import { bytes, readObjects } from './databases.ts'

const AttestationSchema = z.object({ position: z.int(), attestation_id: z.string() })
const HeadSchema = z.object({ tree_size: z.int(), root_hash: z.string(), timestamp: z.string(), signature: z.string() })
const FileSchema = z.object({ name: z.string(), bytes })

export type PublicBooks = Leaves & {
  /** Which attestation a leaf is of, as 32 hexadecimal digits. */
  attestations: z.infer<typeof AttestationSchema>[]
  /** Of all shards. */
  index: z.infer<typeof AttestationSchema>[]
  /** As each size was signed first. */
  heads: z.infer<typeof HeadSchema>[]
  /** The newest as it was signed last, where that is not the first time. */
  renewed: z.infer<typeof HeadSchema>[]
  /** By name. */
  files: ReadonlyMap<string, Uint8Array>
}

const readAttestations = (table: string): string =>
  `SELECT position, lower(hex(attestation_id)) AS attestation_id FROM ${table} ORDER BY position`

/** Empty where nothing was ever published. */
export async function readPublicBooks(folder: string): Promise<PublicBooks> {
  const objects = (name: string): string => join(folder, 'objects', name)
  const [logs, shards, files] = await Promise.all([
    readObjects(objects('main-PublicLog'), (rows) => ({
      ...readLeaves(rows),
      attestations: rows(readAttestations('attestations'), AttestationSchema),
      heads: rows(
        'SELECT tree_size, lower(hex(root)) AS root_hash, timestamp, signature FROM heads ORDER BY tree_size',
        HeadSchema,
      ),
      renewed: rows(
        `SELECT heads.tree_size AS tree_size, lower(hex(root)) AS root_hash, renewed_head.timestamp AS timestamp,
           renewed_head.signature AS signature
         FROM renewed_head JOIN heads ON heads.tree_size = renewed_head.tree_size`,
        HeadSchema,
      ),
    })),
    readObjects(objects('main-PublicLogIndex'), (rows) => rows(readAttestations('entries'), AttestationSchema)),
    readObjects(objects('storage-Files'), (rows) => rows('SELECT name, bytes FROM files', FileSchema)),
  ])
  const log = logs[0] ?? { leaves: [], nodes: [], attestations: [], heads: [], renewed: [] }
  return { ...log, index: shards.flat(), files: new Map(files.flat().map((file) => [file.name, file.bytes])) }
}
