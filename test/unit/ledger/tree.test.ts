// The tree in the organisation's database: its root is the one RFC 6962 defines over the leaves, at every size and over
// evictions; its proofs verify; and the database itself refuses to have it touched.
import { createHash } from 'node:crypto'
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COSTS_SCHEMA } from '../../../src/keys/costs.store.ts'
import { KEYS_SCHEMA } from '../../../src/keys/keys.store.ts'
import { LIMITS_SCHEMA } from '../../../src/keys/limits.store.ts'
import { LEDGER_SCHEMA, LedgerStore } from '../../../src/ledger/ledger.store.ts'
import { hashLeaf, hashNode } from '../../../src/ledger/merkle-hash.ts'
import { sha256 as nativeSha256 } from '../../../src/platform/sha256.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/ledger/proof.ts'
import { ReceiptsStore } from '../../../src/ledger/receipts.store.ts'
import { TreeStore } from '../../../src/ledger/tree.store.ts'
import { LOOPS_SCHEMA } from '../../../src/organisation/loops.store.ts'
import { SETTINGS_SCHEMA } from '../../../src/organisation/settings.store.ts'
import { SPENDING_SCHEMA } from '../../../src/organisation/spending.store.ts'
import { UPKEEP_SCHEMA } from '../../../src/organisation/upkeep.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'

let objects = 0

/** An object of its own, whose ledger grows and is looked at from within. */
function openLedger() {
  const name = `org_of_a_tree_${(objects += 1)}`
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(name))
  const inStorage = <T>(work: (storage: DurableObjectStorage) => T): Promise<T> =>
    runInDurableObject(object(), (_, { storage }) => work(storage))
  return {
    inStorage,
    inTree: <T>(work: (tree: TreeStore) => T): Promise<T> => inStorage(({ sql }) => work(new TreeStore(sql))),
    grow: (leaves: number): Promise<void> =>
      inStorage((storage) => {
        const ledger = new LedgerStore(storage.sql)
        for (let n = 0; n < leaves; n += 1) storage.transactionSync(() => ledger.appendEntry('operator_act', { n }, 0))
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
    count: (table: 'leaves' | 'tree_nodes' | 'receipts'): Promise<number> =>
      inStorage(({ sql }) => sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n),
    evict: () => evictDurableObject(object()),
  }
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

/** Both proofs about one size, as they would be answered. */
function proofsAt(tree: TreeStore, { position, size, newest }: { position: number; size: number; newest: number }) {
  return {
    inclusion: {
      leaf_hash: tree.leafHash(position).toHex(),
      leaf_index: position,
      tree_size: size,
      root_hash: tree.rootAt(size).toHex(),
      audit_path: hex(tree.inclusionProof(position, size)),
    },
    consistency: {
      old_size: size,
      new_size: newest,
      old_root: tree.rootAt(size).toHex(),
      new_root: tree.rootAt(newest).toHex(),
      consistency_path: hex(tree.consistencyProof(size, newest)),
    },
  }
}

const ones = (size: number): number => size.toString(2).replaceAll('0', '').length

describe('the tree', () => {
  it('has the root of its leaves after any appends, with evictions between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }), async (batches) => {
        const ledger = openLedger()
        for (const batch of batches) {
          await ledger.grow(batch)
          const leaves = await ledger.leaves()
          const head = await ledger.inTree((tree) => ({ size: tree.size(), root: tree.rootAt(tree.size()) }))
          expect(head).toEqual({ size: leaves.length, root: naiveRoot(leaves) })
          expect(await ledger.count('tree_nodes')).toBe(leaves.length - ones(leaves.length))
          await ledger.evict()
        }
      }),
      { numRuns: 15 },
    )
  })

  it('of no leaves has the hash of nothing for a root', async () => {
    const root = await openLedger().inTree((tree) => tree.rootAt(tree.size()))
    expect(root).toEqual(sha256())
  })

  it('keeps the root of every size it has had, whatever is appended and evicted after', async () => {
    const ledger = openLedger()
    const heads: string[] = []
    for (let size = 1; size <= 33; size += 1) {
      await ledger.grow(1)
      heads.push(await ledger.inTree((tree) => tree.rootAt(tree.size()).toHex()))
      if (size % 5 === 0) await ledger.evict()
    }
    const again = await ledger.inTree((tree) => heads.map((_, at) => tree.rootAt(at + 1).toHex()))
    expect(again).toEqual(heads)
    expect(new Set(heads).size).toBe(heads.length)
  })

  it('proves every leaf at every size, and every size to be a beginning of the newest', async () => {
    const newest = 40
    const ledger = openLedger()
    await ledger.grow(newest)
    await ledger.evict()
    const leaves = hex(await ledger.leaves())
    await ledger.inTree((tree) => {
      for (let size = 1; size <= newest; size += 1) {
        for (let position = 0; position < size; position += 1) {
          const { inclusion, consistency } = proofsAt(tree, { position, size, newest })
          expect(inclusion.leaf_hash).toBe(leaves[position])
          expect(verifyInclusion(inclusion).valid).toBe(true)
          if (position === 0) expect(verifyConsistency(consistency).valid).toBe(true)
        }
      }
    })
  })

  it('proves any leaf of a longer log, with paths as long as the log of its size', async () => {
    const newest = 300
    const ledger = openLedger()
    await ledger.grow(newest)
    await ledger.inTree((tree) => {
      const sizes = fc.integer({ min: 1, max: newest })
      const cases = sizes.chain((size) => fc.record({ size: fc.constant(size), position: fc.nat(size - 1) }))
      fc.assert(
        fc.property(cases, ({ size, position }) => {
          const { inclusion, consistency } = proofsAt(tree, { position, size, newest })
          expect([verifyInclusion(inclusion).valid, verifyConsistency(consistency).valid]).toEqual([true, true])
          expect(inclusion.audit_path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
          expect(consistency.consistency_path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(newest)) + 1)
        }),
      )
    })
  })

  it.each([
    ['a leaf that is not there', (tree: TreeStore) => tree.inclusionProof(3, 3)],
    ['a tree from no leaves', (tree: TreeStore) => tree.consistencyProof(0, 3)],
    ['a tree larger than the newer one', (tree: TreeStore) => tree.consistencyProof(3, 2)],
  ])('has no proof of %s', async (_, prove) => {
    const ledger = openLedger()
    await ledger.grow(3)
    await ledger.inTree((tree) => expect(() => prove(tree)).toThrow(RangeError))
  })

  it.each([
    ['leaves', 0],
    ['nodes', 1],
  ])('reads %s up to the end of the tree, and none beyond it', async (_, level) => {
    const ledger = openLedger()
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
    const ledger = openLedger()
    await ledger.grow(3)
    await ledger.inStorage((storage) => {
      const failing = () =>
        storage.transactionSync(() => {
          new LedgerStore(storage.sql).appendEntry('operator_act', {}, 0)
          throw new Error('the turn fails')
        })
      expect(failing).toThrow('the turn fails')
    })
    expect([await ledger.count('leaves'), await ledger.count('tree_nodes')]).toEqual([3, 1])
    await ledger.grow(1)
    expect(await ledger.inTree((tree) => tree.rootAt(4))).toEqual(naiveRoot(await ledger.leaves()))
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
    const ledger = openLedger()
    await ledger.grow(5)
    expect(await ledger.tryStatement(statement)).toContain(refusal)
    expect(await ledger.inTree((tree) => tree.rootAt(5))).toEqual(naiveRoot(await ledger.leaves()))
  })

  it.each([
    ['with a short hash', 'INSERT INTO tree_nodes VALUES (1, 0, zeroblob(31))', 'CHECK constraint failed'],
    ['with a gap before it', 'INSERT INTO tree_nodes VALUES (1, 1, zeroblob(32))', 'at the end of its level'],
  ])('cannot be stored %s', async (_, statement, refusal) => {
    const ledger = openLedger()
    await ledger.inStorage(({ sql }) => {
      for (const position of [0, 1, 2, 3]) sql.exec('INSERT INTO leaves VALUES (?, zeroblob(32))', position)
    })
    expect(await ledger.tryStatement(statement)).toContain(refusal)
  })
})

describe('an object from before the tree', () => {
  /** The steps that had run then. */
  const BEFORE = [
    KEYS_SCHEMA,
    LIMITS_SCHEMA,
    LEDGER_SCHEMA,
    COSTS_SCHEMA,
    SETTINGS_SCHEMA,
    SPENDING_SCHEMA,
    LOOPS_SCHEMA,
    UPKEEP_SCHEMA,
  ]

  // More than are read at once while the tree is made, and neither a power of two.
  it.each([0, 1, 7, 2_100])('gets the tree of its %d leaves when it starts, and grows on', async (size) => {
    const ledger = openLedger()
    await ledger.inStorage(async (storage) => {
      await storage.deleteAll()
      migrateObject(storage, BEFORE)
      for (let position = 0; position < size; position += 1) {
        storage.sql.exec('INSERT INTO leaves VALUES (?, ?)', position, sha256(Uint8Array.of(position % 251)))
      }
    })
    await ledger.evict()
    expect(await ledger.inTree((tree) => tree.rootAt(size))).toEqual(naiveRoot(await ledger.leaves()))
    expect(await ledger.count('tree_nodes')).toBe(size - ones(size))
    await ledger.grow(3)
    expect(await ledger.inTree((tree) => tree.rootAt(size + 3))).toEqual(naiveRoot(await ledger.leaves()))
  })
})

describe('a receipt', () => {
  const id = '6fa0b2a1-3a0e-4b5e-9d5c-0c6a5f2f8a11'
  const other = '6fa0b2a1-3a0e-4b5e-9d5c-0c6a5f2f8a12'

  async function openReceipts() {
    const ledger = openLedger()
    await ledger.grow(2)
    await ledger.inStorage(({ sql }) => new ReceiptsStore(sql).insertReceipt(id, 1))
    return ledger
  }

  it('is found by its id, after an eviction too, and by no other', async () => {
    const ledger = await openReceipts()
    await ledger.evict()
    const found = await ledger.inStorage(({ sql }) =>
      [id, other, id.toUpperCase(), '', `${id}\n`, `x${id}`].map((each) => new ReceiptsStore(sql).findPosition(each)),
    )
    expect(found).toEqual([1, null, null, null, null, null])
  })

  it.each([
    ['an id that is there', id, 0, 'a receipt is written once'],
    ['an id that is no UUID', 'att_1', 0, 'an attestation_id is a UUID'],
    ['a leaf that is not there', other, 9, 'FOREIGN KEY constraint failed'],
  ])('is refused for %s', async (_, attestationId, position, refusal) => {
    const ledger = await openReceipts()
    await ledger.inStorage(({ sql }) =>
      expect(() => new ReceiptsStore(sql).insertReceipt(attestationId, position)).toThrow(refusal),
    )
    expect(await ledger.count('receipts')).toBe(1)
  })

  it.each([
    ['changed', 'UPDATE receipts SET position = 0', 'a receipt never changes'],
    ['removed', 'DELETE FROM receipts', 'a receipt is never removed'],
    ['replaced', 'INSERT OR REPLACE INTO receipts SELECT attestation_id, 0 FROM receipts', 'a receipt is written once'],
  ])('cannot be %s', async (_, statement, refusal) => {
    const ledger = await openReceipts()
    expect(await ledger.tryStatement(statement)).toContain(refusal)
    expect(await ledger.inStorage(({ sql }) => new ReceiptsStore(sql).findPosition(id))).toBe(1)
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
