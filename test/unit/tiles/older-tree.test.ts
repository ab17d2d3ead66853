// The tree of an organisation's older tables: its root is the one RFC 6962 defines over the leaves, at every size; its proofs
// verify; the database itself refuses to have it touched; and an object that has one goes on from its root.
import { createHash } from 'node:crypto'
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashLeaf, hashNode } from '../../../src/evidence/tree/merkle-hash.ts'
import { rootAt } from '../../../src/evidence/tree/merkle.ts'
import { LEAVES_SCHEMA, OlderTree, TREE_SCHEMA } from '../../../src/tiles/older-tree.store.ts'
import { Journal } from '../../../src/organisation/journal/journal.ts'
import { ORGANISATION_MIGRATIONS } from '../../../src/organisation/organisation-migrations.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { sha256 as nativeSha256 } from '../../../src/platform/sha256.ts'

let objects = 0

/** An object of its own, in which the older tables are made again. */
async function openTree() {
  const name = `org_of_a_tree_${(objects += 1)}`
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(name))
  const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(object(), (_, { storage }) => work(storage))
  await inStorage(({ sql }) => {
    sql.exec(LEAVES_SCHEMA)
    sql.exec(TREE_SCHEMA)
  })
  return {
    inStorage,
    inTree: <T>(work: (tree: OlderTree) => T): Promise<T> => inStorage(({ sql }) => work(new OlderTree(sql))),
    grow: (leaves: number): Promise<void> =>
      inStorage((storage) => {
        for (let n = 0; n < leaves; n += 1) storage.transactionSync(() => appendLeaf(storage.sql))
      }),
    leaves: (): Promise<Uint8Array[]> => inStorage(({ sql }) => readLeaves(sql)),
    tryStatement: (statement: string): Promise<string> =>
      inStorage(({ sql }) => {
        try {
          sql.exec(statement)
          return 'accepted'
        } catch (thrown) {
          return String(thrown)
        }
      }),
    count: (table: 'leaves' | 'tree_nodes'): Promise<number> =>
      inStorage(({ sql }) => sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n),
    evict: () => evictDurableObject(object()),
  }
}

function appendLeaf(sql: SqlStorage): void {
  const tree = new OlderTree(sql)
  const [position, hash] = [tree.size(), crypto.getRandomValues(new Uint8Array(32))]
  sql.exec('INSERT INTO leaves (position, hash) VALUES (?, ?)', position, hash)
  tree.append(position, hash)
}

const readLeaves = (sql: SqlStorage): Uint8Array[] =>
  sql
    .exec<{ hash: ArrayBuffer }>('SELECT hash FROM leaves ORDER BY position')
    .toArray()
    .map(({ hash }) => new Uint8Array(hash))

const sha256 = (...parts: Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** RFC 6962, section 2.1, word for word. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return sha256()
  if (leaves.length === 1) return only
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)))
}

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

const rootOf = (tree: OlderTree, size = tree.size()): Uint8Array => rootAt(size, tree.read)

const ones = (size: number): number => size.toString(2).replaceAll('0', '').length

describe('the older tree', () => {
  it('has the root of its leaves after any appends, with evictions between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }), async (batches) => {
        const ledger = await openTree()
        for (const batch of batches) {
          await ledger.grow(batch)
          const leaves = await ledger.leaves()
          const head = await ledger.inTree((tree) => ({ size: tree.size(), root: rootOf(tree) }))
          expect(head).toEqual({ size: leaves.length, root: naiveRoot(leaves) })
          expect(await ledger.count('tree_nodes')).toBe(leaves.length - ones(leaves.length))
          await ledger.evict()
        }
      }),
      { numRuns: 15 },
    )
  })

  it('of no leaves has the hash of nothing for a root', async () => {
    const root = await (await openTree()).inTree((tree) => rootOf(tree))
    expect(root).toEqual(sha256())
  })

  it('keeps the root of every size it has had, whatever is appended and evicted after', async () => {
    const ledger = await openTree()
    const heads: string[] = []
    for (let size = 1; size <= 33; size += 1) {
      await ledger.grow(1)
      heads.push(await ledger.inTree((tree) => rootOf(tree).toHex()))
      if (size % 5 === 0) await ledger.evict()
    }
    const again = await ledger.inTree((tree) => heads.map((_, at) => rootOf(tree, at + 1).toHex()))
    expect(again).toEqual(heads)
    expect(new Set(heads).size).toBe(heads.length)
  })

  it.each([
    ['leaves', 0],
    ['nodes', 1],
  ])('reads %s up to the end of the tree, and none beyond it', async (_, level) => {
    const ledger = await openTree()
    await ledger.grow(11)
    const stored = 11 >> level
    const whole = hex(await ledger.leaves())
    await ledger.inTree((tree) => {
      for (let index = 0; index <= stored + 1; index += 1) {
        for (let count = 1; count <= stored + 2; count += 1) {
          const read = () => tree.hashesFrom({ level, index }, count)
          if (index + count > stored) expect(read).toThrow(RangeError)
          else expect(read()).toHaveLength(count * 32)
        }
      }
      if (level === 0) expect(tree.hashesFrom({ level, index: 2 }, 9).toHex()).toBe(whole.slice(2).join(''))
    })
  })

  it('stores neither leaf nor node of a turn that fails', async () => {
    const ledger = await openTree()
    await ledger.grow(3)
    await ledger.inStorage((storage) => {
      const failing = () =>
        storage.transactionSync(() => {
          appendLeaf(storage.sql)
          throw new Error('the turn fails')
        })
      expect(failing).toThrow('the turn fails')
    })
    expect([await ledger.count('leaves'), await ledger.count('tree_nodes')]).toEqual([3, 1])
    await ledger.grow(1)
    expect(await ledger.inTree((tree) => rootOf(tree, 4))).toEqual(naiveRoot(await ledger.leaves()))
  })
})

describe('a node', () => {
  it.each([
    ['changed', 'UPDATE tree_nodes SET hash = zeroblob(32) WHERE level = 1', 'a node never changes'],
    ['moved', 'UPDATE tree_nodes SET level = 9', 'a node never changes'],
    ['removed', 'DELETE FROM tree_nodes', 'a node is never removed'],
    ['replaced', 'INSERT OR REPLACE INTO tree_nodes VALUES (1, 0, zeroblob(32))', 'at the end of its level'],
    ['stored twice', 'INSERT INTO tree_nodes VALUES (2, 0, zeroblob(32))', 'at the end of its level'],
    ['stored before its leaves', 'INSERT INTO tree_nodes VALUES (1, 2, zeroblob(32))', 'once its leaves are'],
    ['stored above the root', 'INSERT INTO tree_nodes VALUES (3, 0, zeroblob(32))', 'once its leaves are'],
    ['put in the place of a leaf', 'INSERT INTO tree_nodes VALUES (0, 0, zeroblob(32))', 'CHECK constraint failed'],
  ])('cannot be %s', async (_, statement, refusal) => {
    const ledger = await openTree()
    await ledger.grow(5)
    expect(await ledger.tryStatement(statement)).toContain(refusal)
    expect(await ledger.inTree((tree) => rootOf(tree, 5))).toEqual(naiveRoot(await ledger.leaves()))
  })

  it.each([
    ['with a short hash', 'INSERT INTO tree_nodes VALUES (1, 0, zeroblob(31))', 'CHECK constraint failed'],
    ['with a gap before it', 'INSERT INTO tree_nodes VALUES (1, 1, zeroblob(32))', 'at the end of its level'],
  ])('cannot be stored %s', async (_, statement, refusal) => {
    const ledger = await openTree()
    await ledger.inStorage(({ sql }) => {
      for (const position of [0, 1, 2, 3]) sql.exec('INSERT INTO leaves VALUES (?, zeroblob(32))', position)
    })
    expect(await ledger.tryStatement(statement)).toContain(refusal)
  })
})

describe('an object from before the tree', () => {
  /** The steps that had run then. */
  const BEFORE = ORGANISATION_MIGRATIONS.slice(0, ORGANISATION_MIGRATIONS.indexOf(TREE_SCHEMA))

  // More than are read at once while the tree is made, and neither a power of two.
  it.each([0, 1, 7, 255, 256, 2_100])('goes on from the root of its %d leaves when it starts', async (size) => {
    const ledger = await openTree()
    const leaves = Array.from({ length: size }, (_, position) => sha256(Uint8Array.of(position % 251)))
    await ledger.inStorage(async (storage) => {
      await storage.deleteAll()
      migrateObject(storage, BEFORE)
      for (const [position, leaf] of leaves.entries()) {
        storage.sql.exec('INSERT INTO leaves VALUES (?, ?)', position, leaf)
      }
    })
    await ledger.evict()
    const grown = await ledger.inStorage((storage) => {
      const journal = new Journal(storage.sql)
      expect(journal.tree).toEqual({ size, root: naiveRoot(leaves) })
      storage.transactionSync(() => {
        for (let n = 0; n < 3; n += 1) journal.append({ kind: 'operator_act', content: { n } }, 0)
      })
      const rows = storage.sql.exec<{ hash: ArrayBuffer }>('SELECT hash FROM entries WHERE position >= ?', size)
      return { tree: journal.tree, appended: rows.toArray().map(({ hash }) => new Uint8Array(hash)) }
    })
    expect(grown.tree).toEqual({ size: size + 3, root: naiveRoot([...leaves, ...grown.appended]) })
  })
})

describe('the runtime’s SHA-256', () => {
  it('hashes leaves and nodes as the one in JavaScript does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (a, b) => {
        expect(hashLeaf(a, nativeSha256)).toEqual(hashLeaf(a))
        expect(hashNode(b, a, nativeSha256)).toEqual(hashNode(b, a))
      }),
    )
  })
})
