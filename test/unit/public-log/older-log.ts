// A public log as it was while each leaf was a row: built by the steps that were released, filled and served by statements of
// that time.
import { env } from 'cloudflare:workers'
import { signPublicHead, type PublicHead } from '../../../src/evidence/records/tree-head.ts'
import { hashesOf, tilePath, tilesBetween } from '../../../src/evidence/tree/tiles.ts'
import { appendLeaf, rootAt, type NodeReader } from '../../../src/evidence/tree/merkle.ts'
import { shardOf } from '../../../src/public-log/index.store.ts'
import { openPublicIndex } from '../../../src/public-log/public-index.ts'
import { ROW_PER_LEAF_STEPS } from '../../../src/public-log/public-log-migrations.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { evict, inLog, signerOf } from './opened-log.ts'

export type OlderLog = {
  leaves: { hash: Uint8Array; id: Uint8Array }[]
  /** Every head that was signed, as it was signed last. */
  heads: PublicHead[]
  read: NodeReader
}

/** Of a large log, the index is told of so many only. */
const TOLD = 2000

type Filling = {
  leaves: number
  /** The sizes at which a head was signed. */
  signed: readonly number[]
  /** The size that readers have, -1 for none. */
  served: number
  /** Up to which every shard has all. */
  indexed: number
  /** Whether the newest head was signed twice. */
  isRenewed?: boolean
}

/** What was there is gone. The object is evicted, so that whoever opens it next does so with the code of today. */
export async function buildOlderLog(filling: Filling): Promise<OlderLog> {
  const log = growLog(filling.leaves)
  const key = await signerOf(1).keyAt(Date.now())
  if (key === null) throw new Error('no key signs')
  const signHead = (treeSize: number, at: number) =>
    signPublicHead({ treeSize, root: rootAt(treeSize, log.read), at }, key)
  for (const [at, size] of filling.signed.entries())
    log.heads.push(await signHead(size, Date.now() - 60_000 + at * 1000))
  const first = log.heads.at(-1)
  const renewed = filling.isRenewed === true && first !== undefined ? await signHead(first.tree_size, Date.now()) : null
  await inLog((storage) => fillDatabase(storage, log, { ...filling, renewed }))
  if (renewed !== null) log.heads.push(renewed)
  await serve(log, filling)
  await evict()
  return log
}

function growLog(size: number): OlderLog & { nodes: Map<string, Uint8Array> } {
  const nodes = new Map<string, Uint8Array>()
  const read: NodeReader = (level, index) => {
    const hash = nodes.get(`${level}/${index}`)
    if (hash === undefined) throw new RangeError('no such node')
    return hash
  }
  const leaves = Array.from({ length: size }, () => ({
    hash: crypto.getRandomValues(new Uint8Array(32)),
    id: crypto.getRandomValues(new Uint8Array(16)),
  }))
  for (const [at, leaf] of leaves.entries()) {
    for (const { level, index, hash } of appendLeaf(at, leaf.hash, read)) nodes.set(`${level}/${index}`, hash)
  }
  return { leaves, heads: [], read, nodes }
}

async function fillDatabase(
  storage: DurableObjectStorage,
  { leaves, heads, nodes, read }: ReturnType<typeof growLog>,
  { served, indexed, renewed }: Filling & { renewed: PublicHead | null },
): Promise<void> {
  const { sql } = storage
  await storage.deleteAll()
  migrateObject(storage, ROW_PER_LEAF_STEPS)
  insertAll(
    sql,
    'leaves (position, hash) SELECT key + ?1, unhex(value)',
    leaves.map(({ hash }) => hash),
  )
  insertAll(
    sql,
    'attestations (position, attestation_id) SELECT key + ?1, unhex(value)',
    leaves.map(({ id }) => id),
  )
  for (let level = 1; nodes.has(`${level}/0`); level += 1) {
    const hashes = Array.from({ length: Math.floor(leaves.length / 2 ** level) }, (_, at) => read(level, at))
    insertAll(sql, `tree_nodes (level, position, hash) SELECT ${level}, key + ?1, unhex(value)`, hashes)
  }
  for (const { tree_size: size, root_hash: root, timestamp, signature, public_key: key } of heads) {
    sql.exec(
      'INSERT INTO heads (tree_size, root, timestamp, signature, public_key) VALUES (?, ?, ?, ?, ?)',
      size,
      Uint8Array.fromHex(root),
      timestamp,
      signature,
      key,
    )
  }
  if (renewed !== null) {
    sql.exec(
      'INSERT OR REPLACE INTO renewed_head (id, tree_size, timestamp, signature, public_key) VALUES (1, ?, ?, ?, ?)',
      renewed.tree_size,
      renewed.timestamp,
      renewed.signature,
      renewed.public_key,
    )
  }
  sql.exec('UPDATE served SET tree_size = ?', served)
  for (let shard = 0; shard < 16; shard += 1) {
    sql.exec('INSERT OR REPLACE INTO indexed (shard, tree_size) VALUES (?, ?)', shard, indexed)
  }
  sql.exec('INSERT OR REPLACE INTO sources (source, taken_to) VALUES (?, ?)', 'a practice', leaves.length - 1)
}

/** In their order, as many at once as one text may hold. */
function insertAll(sql: SqlStorage, statement: string, values: readonly Uint8Array[]): void {
  const AT_ONCE = 2000
  for (let first = 0; first < values.length; first += AT_ONCE) {
    const texts = values.slice(first, first + AT_ONCE).map((bytes) => bytes.toHex())
    sql.exec(`INSERT INTO ${statement} FROM json_each(?2) ORDER BY key`, first, JSON.stringify(texts))
  }
}

/** As readers have it: tiles, the head, and where each attestation is. */
async function serve({ leaves, heads, read }: OlderLog, { served, indexed }: Filling): Promise<void> {
  const { objects } = await env.FILES.list({ prefix: 'public-log/' })
  await env.FILES.delete(objects.map(({ key }) => key))
  for (const tile of served < 0 ? [] : tilesBetween(-1, served)) {
    const { level, index, width } = hashesOf(tile)
    const bytes = new Uint8Array(width * 32)
    for (let at = 0; at < width; at += 1) bytes.set(read(level, index + at), at * 32)
    await env.FILES.put(`public-log/tile/${tilePath(tile)}`, bytes)
  }
  const head = heads.findLast(({ tree_size: size }) => size === served)
  if (head !== undefined) await env.FILES.put('public-log/head.json', JSON.stringify(head))
  const from = Math.max(0, indexed - TOLD)
  const entries = leaves
    .slice(from, indexed)
    .map(({ id }, at) => ({ attestationId: id, position: from + at, origin: null }))
  const index = openPublicIndex(env.PUBLIC_LOG_INDEX, false)
  for (const [shard, some] of Map.groupBy(entries, ({ attestationId }) => shardOf(attestationId))) {
    await index.insertEntries(shard, some)
  }
}
