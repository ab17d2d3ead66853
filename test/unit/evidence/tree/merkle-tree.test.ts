// The Merkle tree: the test tree of the certificate transparency log, the naive definition, and what a proof must refuse.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyRoot, hashLeaf, hashNode, subtreesOf } from '../../../../src/evidence/tree/merkle-hash.ts'
import {
  consistencyProof,
  consistencyRanges,
  inclusionProof,
  inclusionRanges,
  rootAt,
  type NodeReader,
  type StoredNode,
} from '../../../../src/evidence/tree/merkle-tree.ts'
import { appendLeaf, appendLeaves } from '../../../support/log-tree.ts'
import { verifyConsistency, verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { sha256 as nativeSha256 } from '../../../../src/platform/sha256.ts'

/** Storage that counts what is read and refuses to write a node twice. */
class TestTree {
  readonly #nodes = new Map<string, Uint8Array>()
  size = 0
  reads = 0

  readonly read: NodeReader = (level, index) => {
    this.reads += 1
    const hash = this.#nodes.get(`${level}/${index}`)
    if (hash === undefined) throw new Error(`node ${level}/${index} is not stored`)
    return hash
  }

  append(leafHash: Uint8Array): StoredNode[] {
    const nodes = appendLeaf(this.size, leafHash, this.read)
    this.store(nodes, 1)
    return nodes
  }

  store(nodes: readonly StoredNode[], leaves: number): void {
    for (const { level, index, hash } of nodes) {
      if (this.#nodes.has(`${level}/${index}`)) throw new Error('stored twice')
      this.#nodes.set(`${level}/${index}`, hash)
    }
    this.size += leaves
  }

  contents(): string[] {
    return [...this.#nodes].map(([name, hash]) => `${name} ${hash.toHex()}`).toSorted()
  }
}

function treeOf(leaves: readonly Uint8Array[]): TestTree {
  const tree = new TestTree()
  for (const leaf of leaves) tree.append(leaf)
  return tree
}

/** RFC 6962, section 2.1, word for word. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return emptyRoot()
  if (leaves.length === 1) return only
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return hashNode(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)))
}

const numbered = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, at) => hashLeaf(new TextEncoder().encode(`entry ${at}`)))

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

/** The eight entries, and the roots and paths over them, with which implementations of RFC 6962 are tested. */
const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const referenceTree = treeOf(entries.map((entry) => hashLeaf(Uint8Array.fromHex(entry))))
const A = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'
const B = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e'
const C = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4'
const D = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b'
const E = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0'
const F = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a'
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
] as const

describe('the reference tree of RFC 6962', () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))('has its root at size %d', (size, root) => {
    expect(rootAt(size, referenceTree.read).toHex()).toBe(root)
  })

  it.each([
    [0, 1, []],
    [0, 8, [A, B, C]],
    [5, 8, [D, E, ROOTS[4]]],
    [2, 3, [ROOTS[2]]],
    [1, 5, [ROOTS[1], B, D]],
  ])('has its path from leaf %d at size %d', (index, size, path) => {
    expect(hex(inclusionProof(index, size, referenceTree.read))).toEqual(path)
  })

  it.each([
    [1, 1, []],
    [1, 8, [A, B, C]],
    [6, 8, [F, E, ROOTS[4]]],
    [2, 5, [B, D]],
  ])('has its path from size %d to size %d', (oldSize, newSize, path) => {
    expect(hex(consistencyProof(oldSize, newSize, referenceTree.read))).toEqual(path)
  })
})

it('hashes leaves and nodes with the runtime’s SHA-256 as with the one in JavaScript', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (a, b) => {
      expect(hashLeaf(a, nativeSha256)).toEqual(hashLeaf(a))
      expect(hashNode(b, a, nativeSha256)).toEqual(hashNode(b, a))
    }),
  )
})

describe('appendLeaf', () => {
  it('stores each complete subtree once, and no other', () => {
    const { length } = treeOf(numbered(100)).contents()
    // 100 leaves, then 50, 25, 12, 6, 3 and 1 complete subtrees.
    expect(length).toBe(100 + 50 + 25 + 12 + 6 + 3 + 1)
  })

  it('reads one node for each that it makes beside the leaf', () => {
    const tree = treeOf(numbered(127))
    tree.reads = 0
    expect(tree.append(hashLeaf(new Uint8Array()))).toHaveLength(8)
    expect(tree.reads).toBe(7)
  })

  it('in batches stores the same', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 8 }), (batches) => {
        const leaves = numbered(batches.reduce((sum, batch) => sum + batch, 0))
        const tree = new TestTree()
        for (const batch of batches) {
          const next = leaves.slice(tree.size, tree.size + batch)
          tree.store(appendLeaves(tree.size, next, tree.read), batch)
        }
        expect(tree.contents()).toEqual(treeOf(leaves).contents())
      }),
      { numRuns: 50 },
    )
  })
})

describe('the tree', () => {
  const leaves = numbered(70)
  const tree = treeOf(leaves)

  it('has the roots of the definition', () => {
    for (let size = 0; size <= leaves.length; size += 1) {
      expect(rootAt(size, tree.read)).toEqual(naiveRoot(leaves.slice(0, size)))
    }
  })

  it('proves every leaf in every size, and no other leaf, place or size', () => {
    for (let size = 1; size <= 40; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionOf(tree, index, size)
        expect(verifyInclusion(proof)).toMatchObject({ valid: true })
        expect(verifyInclusion({ ...proof, leaf_hash: 'ab'.repeat(32) })).toMatchObject({ fault: 'root_mismatch' })
        if (size > 1) {
          expect(verifyInclusion({ ...proof, leaf_index: (index + 1) % size }).valid).toBe(false)
        }
      }
    }
  })

  it('proves that every size begins with every smaller one', () => {
    for (let newSize = 1; newSize <= 40; newSize += 1) {
      for (let oldSize = 1; oldSize <= newSize; oldSize += 1) {
        const proof = consistencyOf(tree, oldSize, newSize)
        expect(verifyConsistency(proof)).toMatchObject({ valid: true })
        expect(verifyConsistency({ ...proof, old_root: 'ab'.repeat(32) }).valid).toBe(false)
        expect(verifyConsistency({ ...proof, new_root: 'ab'.repeat(32) }).valid).toBe(false)
      }
    }
  })

  it('never proves a history in which one leaf was changed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), fc.nat(), (newSize, pickOld, pickChanged) => {
        const oldSize = 1 + (pickOld % newSize)
        const changed = pickChanged % oldSize
        const rewritten = treeOf(leaves.with(changed, hashLeaf(new Uint8Array())))
        const proof = {
          ...consistencyOf(rewritten, oldSize, newSize),
          old_root: rootAt(oldSize, tree.read).toHex(),
        }
        expect(verifyConsistency(proof).valid).toBe(false)
      }),
    )
  })

  it('refuses a path that was touched anywhere', () => {
    const touch = fc.constantFrom('flip', 'drop', 'double', 'swap')
    fc.assert(
      fc.property(touch, fc.integer({ min: 2, max: 70 }), fc.nat(), fc.nat(), (kind, size, pickIndex, pickAt) => {
        const inclusion = inclusionOf(tree, pickIndex % size, size)
        const consistency = consistencyOf(tree, 1 + (pickIndex % size), size)
        const touchedAudit = touched(inclusion.audit_path, kind, pickAt)
        const touchedPath = touched(consistency.consistency_path, kind, pickAt)
        if (touchedAudit !== null) {
          expect(verifyInclusion({ ...inclusion, audit_path: touchedAudit }).valid).toBe(false)
        }
        if (touchedPath !== null) {
          expect(verifyConsistency({ ...consistency, consistency_path: touchedPath }).valid).toBe(false)
        }
      }),
    )
  })

  it.each([
    [70, 70],
    [-1, 70],
    [0, 0],
    [0.5, 70],
    [0, 2 ** 53],
  ])('has no proof of leaf %d in %d', (index, size) => {
    expect(() => inclusionProof(index, size, tree.read)).toThrow(RangeError)
    expect(() => consistencyProof(index + 1, size, tree.read)).toThrow(RangeError)
  })
})

describe('the cost of a proof', () => {
  it('is logarithmic, at any size a number can say', () => {
    const sizes = fc.maxSafeInteger().map((size) => Math.abs(size) + 2 - (size === 0 ? 1 : 0))
    const safe = sizes.filter(Number.isSafeInteger)
    fc.assert(
      fc.property(safe, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (size, part) => {
        const index = Math.min(size - 1, Math.floor(size * part))
        for (const ranges of [inclusionRanges(index, size), consistencyRanges(index + 1, size)]) {
          expect(ranges.length).toBeLessThanOrEqual(54)
          const subtrees = ranges.flatMap(subtreesOf)
          expect(subtrees.length).toBeLessThanOrEqual(108)
          for (const { index: at } of subtrees) expect(Number.isSafeInteger(at)).toBe(true)
        }
      }),
    )
  })
})

describe('a proof as it is sent', () => {
  const tree = treeOf(numbered(11))
  const inclusion = inclusionOf(tree, 5, 11)
  const consistency = consistencyOf(tree, 7, 11)

  it.each([
    ['not_an_object', null],
    ['not_an_object', []],
    ['size_malformed', { ...inclusion, tree_size: 0 }],
    ['size_malformed', { ...inclusion, tree_size: '11' }],
    ['size_malformed', { ...inclusion, tree_size: 2 ** 53 }],
    ['size_malformed', { ...inclusion, tree_size: 11.5 }],
    ['index_outside_tree', { ...inclusion, leaf_index: 11 }],
    ['index_outside_tree', { ...inclusion, leaf_index: -1 }],
    ['index_outside_tree', { ...inclusion, leaf_index: null }],
    ['path_not_an_array', { ...inclusion, audit_path: inclusion.audit_path.join() }],
    ['hash_malformed', { ...inclusion, leaf_hash: inclusion.leaf_hash.toUpperCase() }],
    ['hash_malformed', { ...inclusion, root_hash: `${inclusion.root_hash}\n` }],
    ['hash_malformed', { ...inclusion, audit_path: [...inclusion.audit_path.slice(1), 'ab'] }],
    ['hash_malformed', { ...inclusion, audit_path: [1] }],
    ['path_too_short', { ...inclusion, audit_path: inclusion.audit_path.slice(1) }],
    ['path_too_long', { ...inclusion, audit_path: [...inclusion.audit_path, inclusion.leaf_hash] }],
    // 2^32 + 1 is 1 where sizes are cut to 32 bits.
    ['path_too_short', { ...inclusion, tree_size: 2 ** 32 + 1, leaf_index: 0, audit_path: [inclusion.leaf_hash] }],
    ['root_mismatch', { ...inclusion, audit_path: inclusion.audit_path.toReversed() }],
    ['root_mismatch', { ...inclusion, root_hash: consistency.old_root }],
  ])('is refused as an inclusion: %s', (fault, value) => {
    expect(verifyInclusion(value)).toEqual({ valid: false, fault })
  })

  it.each([
    ['not_an_object', 'text'],
    ['size_malformed', { ...consistency, old_size: 0 }],
    ['size_malformed', { ...consistency, new_size: null }],
    ['sizes_out_of_order', { ...consistency, old_size: 12 }],
    ['path_not_an_array', { ...consistency, consistency_path: {} }],
    ['hash_malformed', { ...consistency, old_root: 'ab' }],
    ['hash_malformed', { ...consistency, consistency_path: [null] }],
    ['path_too_short', { ...consistency, consistency_path: [] }],
    ['path_too_short', { ...consistency, consistency_path: consistency.consistency_path.slice(1) }],
    ['path_too_long', { ...consistency, consistency_path: [...consistency.consistency_path, consistency.old_root] }],
    ['path_too_long', { ...consistency, old_size: 11, old_root: consistency.new_root }],
    ['path_too_short', { ...consistency, old_size: 1, new_size: 2 ** 32 + 1, consistency_path: [] }],
    ['old_root_mismatch', { ...consistency, old_root: consistency.new_root }],
    ['new_root_mismatch', { ...consistency, new_root: consistency.old_root }],
    ['new_root_mismatch', { ...consistency, old_size: 11, consistency_path: [] }],
  ])('is refused as a consistency: %s', (fault, value) => {
    expect(verifyConsistency(value)).toEqual({ valid: false, fault })
  })

  it('is taken with members beside its own', () => {
    expect(verifyInclusion({ ...inclusion, attestation_id: 'x' })).toEqual({ valid: true, proof: inclusion })
    expect(verifyConsistency({ ...consistency, v: 1, log: 'public' })).toEqual({ valid: true, proof: consistency })
  })
})

function inclusionOf(tree: TestTree, index: number, size: number) {
  return {
    leaf_hash: tree.read(0, index).toHex(),
    leaf_index: index,
    tree_size: size,
    root_hash: rootAt(size, tree.read).toHex(),
    audit_path: hex(inclusionProof(index, size, tree.read)),
  }
}

function consistencyOf(tree: TestTree, oldSize: number, newSize: number) {
  return {
    old_size: oldSize,
    new_size: newSize,
    old_root: rootAt(oldSize, tree.read).toHex(),
    new_root: rootAt(newSize, tree.read).toHex(),
    consistency_path: hex(consistencyProof(oldSize, newSize, tree.read)),
  }
}

/** Null where there is nothing to touch in that way. */
function touched(path: readonly string[], kind: string, pickAt: number): string[] | null {
  const at = pickAt % path.length
  const hash = path[at]
  const next = path[at + 1]
  if (hash === undefined) return null
  if (kind === 'flip')
    return path.with(
      at,
      hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    )
  if (kind === 'drop') return path.toSpliced(at, 1)
  if (kind === 'double') return path.toSpliced(at, 0, hash)
  return next === undefined ? null : path.with(at, next).with(at + 1, hash)
}
