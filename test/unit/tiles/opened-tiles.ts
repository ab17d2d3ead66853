// A log over an invented tree: its tiles in the test runtime's buckets, its edge in an object's database, and no leaf in rows
// that is in a stored tile.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { TileFiles } from '../../../src/tiles/tile-files.store.ts'
import { TILE_LEVELS_SCHEMA, TileLevelsStore } from '../../../src/tiles/tile-levels.store.ts'
import type { TiledLog } from '../../../src/tiles/tiled-log.ts'
import type { InventedTree } from './invented-tree.ts'

let logs = 0

type Opened = TiledLog & {
  prefix: string
  mirrorPrefix: string
  storage: DurableObjectStorage
  /** The same log with other buckets. */
  withFiles: (change: { bucket?: R2Bucket; mirror?: R2Bucket | null }) => TiledLog
}

/** Inside an object that has nothing else of this log. The second bucket is a part of the first. */
export function inTiledLog<T>(tree: InventedTree, work: (log: Opened) => Promise<T>): Promise<T> {
  logs += 1
  const prefix = `log/${logs}/`
  const mirrorPrefix = `mirror/${prefix}`
  const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(`org_of_tiles_${logs}`))
  return runInDurableObject(object, (_, { storage }) => {
    storage.sql.exec('DROP TABLE IF EXISTS tile_levels')
    storage.sql.exec(TILE_LEVELS_SCHEMA)
    const levels = new TileLevelsStore(storage)
    const read = (first: number, count: number) => {
      if (first < levels.tiledLeaves()) throw new RangeError('this leaf is in no row')
      return tree.leaves(first, count)
    }
    const withFiles: Opened['withFiles'] = (change) => ({
      levels,
      leaves: { read },
      files: new TileFiles({ bucket: env.FILES, mirror: mirrorOf(env.FILES), prefix, ...change }),
    })
    return work({ ...withFiles({}), prefix, mirrorPrefix, storage, withFiles })
  })
}

/** A bucket whose files are under a folder of this one. */
const mirrorOf = (bucket: R2Bucket): R2Bucket =>
  new Proxy(bucket, {
    get: (files, member: 'get' | 'put') =>
      member === 'get'
        ? (name: string) => files.get(`mirror/${name}`)
        : (name: string, bytes: Uint8Array, options?: R2PutOptions) => files.put(`mirror/${name}`, bytes, options),
  })
