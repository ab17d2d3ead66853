// History bundles come to the publisher's verdicts, and name the first fault of several; across a rotation too.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { signOrganisationHead, signPublicHead } from '../../../../src/evidence/records/tree-head.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import {
  assessHistory,
  HISTORY_VERDICTS,
  type HistoryVerdict,
} from '../../../../src/evidence/verify/check-head-history.ts'
import published from '../../../fixtures/history-bundles/published.json'
import {
  growTree,
  newKey,
  newKeyListed,
  oldKey,
  publishedKey,
  RETIRED,
  REVOKED,
  trustIn,
} from '../../../fixtures/evidence/invented-evidence.ts'

const leaves = Array.from({ length: 11 }, (_, number) => hashLeaf(Uint8Array.of(number)))
const log = growTree(leaves)
const otherLog = growTree(leaves.with(3, hashLeaf(Uint8Array.of(99))))

const MINUTE = 60_000
const START = Date.parse('2026-11-20T12:00:00Z')
const timeAt = (minute: number): string => new Date(START + minute * MINUTE).toISOString().replace('.000Z', 'Z')

const headOf = (tree: typeof log, treeSize: number, minute: number, key = oldKey) =>
  signPublicHead({ treeSize, root: tree.root(treeSize), at: START + minute * MINUTE }, key)

const [five, eleven, fork, stranger] = await Promise.all([
  headOf(log, 5, 5),
  headOf(log, 11, 11),
  headOf(otherLog, 11, 12),
  headOf(log, 7, 7, newKey),
])
const organisations = await signOrganisationHead({ orgId: 'org_invented', treeSize: 5, root: log.root(5) }, oldKey)

const pinned = { keys: [oldKey.publicKey] }

type Bundle = { heads?: unknown; consistency?: unknown; inclusions?: unknown }
const included = (minute: number | string) => ({
  proof: log.inclusion(2),
  record_timestamp: typeof minute === 'string' ? minute : timeAt(minute),
})
const good = { heads: [five, eleven], consistency: [log.consistency(5)], inclusions: [included(4)] }

describe('the published bundles', () => {
  it('are sixteen, of every verdict', () => {
    expect(published.vectors).toHaveLength(16)
    expect(new Set(published.vectors.map(({ verdict }) => verdict))).toEqual(new Set(Object.keys(HISTORY_VERDICTS)))
  })

  it.each(published.vectors)('$name: $verdict', ({ bundle, verdict }) => {
    expect(assessHistory(bundle, { keys: [published.public_key] })).toBe(verdict)
  })

  it('are all of no history under another key', () => {
    for (const { bundle } of published.vectors) expect(assessHistory(bundle, pinned)).toBe('invalid_head')
  })
})

/** Breaks a good bundle once per fault, in the order in which faults are named. */
const FAULTS: readonly (readonly [HistoryVerdict, (bundle: typeof good) => Bundle])[] = [
  ['invalid_head', (bundle) => ({ ...bundle, heads: [...bundle.heads, stranger] })],
  ['equivocation', (bundle) => ({ ...bundle, heads: [...bundle.heads, fork] })],
  ['unsigned_root', (bundle) => ({ ...bundle, consistency: [log.consistency(4), ...bundle.consistency] })],
  [
    'fork',
    (bundle) => ({ ...bundle, consistency: [...bundle.consistency, { ...log.consistency(5), consistency_path: [] }] }),
  ],
  [
    'invalid_proof',
    (bundle) => ({ ...bundle, inclusions: [...bundle.inclusions, { proof: { ...log.inclusion(2), leaf_index: 3 } }] }),
  ],
  ['timestamp_contradiction', (bundle) => ({ ...bundle, inclusions: [included(12), ...bundle.inclusions] })],
]

describe('the order of the verdicts', () => {
  it('has them all', () => {
    expect([...FAULTS.map(([verdict]) => verdict), 'consistent']).toEqual(Object.keys(HISTORY_VERDICTS))
    expect(assessHistory(good, pinned)).toBe('consistent')
  })

  const pairs = FAULTS.flatMap((first, at) => FAULTS.slice(at).map((second) => [first, second] as const))

  it.each(pairs)('%s before %s', ([first, spoilFirst], [, spoilSecond]) => {
    const both = spoilFirst(spoilSecond(good) as typeof good)
    expect(assessHistory(both, pinned)).toBe(first)
    expect(assessHistory(spoilSecond(spoilFirst(good) as typeof good), pinned)).toBe(first)
  })

  it('takes the proofs one after the other, as the publisher’s function does', () => {
    const forked = { ...log.consistency(5), consistency_path: [] }
    const unsigned = { proof: log.inclusion(2, 4) }
    expect(assessHistory({ ...good, consistency: [forked], inclusions: [unsigned] }, pinned)).toBe('fork')
    expect(assessHistory({ ...good, consistency: [forked, log.consistency(4)] }, pinned)).toBe('fork')
    const wrong = { proof: { ...log.inclusion(2), leaf_index: 3 } }
    expect(assessHistory({ ...good, inclusions: [wrong, unsigned] }, pinned)).toBe('invalid_proof')
    expect(assessHistory({ ...good, inclusions: [unsigned, wrong] }, pinned)).toBe('unsigned_root')
  })
})

describe('invalid_head', () => {
  it.each<[string, unknown]>([
    ['no object', [good]],
    ['null', null],
    ['no heads', {}],
    ['an empty list of heads', { ...good, heads: [] }],
    ['heads that are no list', { ...good, heads: { 0: five } }],
    ['heads as text', { ...good, heads: 'five' }],
    ['a head that is none', { ...good, heads: [five, null] }],
    ['a head of an organisation’s log', { heads: [organisations] }],
    ['a public head that names an organisation', { heads: [{ ...five, org_id: 'org_invented' }] }],
    ['a head whose log was taken out', { heads: [{ ...five, log: undefined, org_id: 'org_invented' }] }],
    ['a head of another log by name', { heads: [{ ...five, log: 'Public' }] }],
    ['a head with another size', { heads: [{ ...five, tree_size: 6 }] }],
    ['a head with its root in capitals', { heads: [{ ...five, root_hash: five.root_hash.toUpperCase() }] }],
  ])('%s', (_, bundle) => {
    expect(assessHistory(bundle, pinned)).toBe('invalid_head')
  })

  it.each([
    '2026-11-20T12:05:00.000Z',
    '2026-11-20t12:05:00z',
    '2026-11-20 12:05:00Z',
    '2026-11-20T12:05:00+00:00',
    'now',
  ])('a head that is signed with the time %s', async (timestamp) => {
    // The time is signed as text, whatever it is.
    const root = log.root(5)
    const message = new TextEncoder().encode('aqta-sth-public-v1|5|')
    const end = new TextEncoder().encode(`|${timestamp}`)
    const signature = await oldKey.sign(Uint8Array.of(...message, ...root, ...end))
    const text = btoa(String.fromCharCode(...signature))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
    expect(assessHistory({ heads: [{ ...five, timestamp, signature: text }] }, pinned)).toBe('invalid_head')
  })
})

describe('proofs that are none', () => {
  it.each<[HistoryVerdict, string, Bundle]>([
    ['unsigned_root', 'a consistency proof that is no object', { ...good, consistency: [null] }],
    ['unsigned_root', 'consistency proofs that are no list', { ...good, consistency: log.consistency(5) }],
    ['unsigned_root', 'a size that is true', { ...good, consistency: [{ ...log.consistency(5), old_size: true }] }],
    ['unsigned_root', 'sizes the wrong way round with their roots', { ...good, consistency: [swapSizes()] }],
    ['fork', 'heads the wrong way round', { ...good, consistency: [swapEnds()] }],
    ['fork', 'a root in capitals', { ...good, consistency: [inCapitals()] }],
    ['invalid_proof', 'inclusions that are no list', { ...good, inclusions: { proof: log.inclusion(2) } }],
    ['invalid_proof', 'an inclusion without a proof', { ...good, inclusions: [{ record_timestamp: timeAt(4) }] }],
    ['invalid_proof', 'a time that is null', { ...good, inclusions: [{ ...included(4), record_timestamp: null }] }],
    ['invalid_proof', 'a time with a fraction', { ...good, inclusions: [included('2026-11-20T12:04:00.000Z')] }],
    ['consistent', 'no proofs at all', { heads: [five] }],
    ['consistent', 'lists that are null', { heads: [five], consistency: null, inclusions: null }],
    ['consistent', 'the same head twice', { heads: [five, five] }],
    ['consistent', 'a record without a time', { ...good, inclusions: [{ proof: log.inclusion(2) }] }],
    ['consistent', 'a record of the head’s very second', { ...good, inclusions: [included(11)] }],
  ])('%s: %s', (verdict, _, bundle) => {
    expect(assessHistory(bundle, pinned)).toBe(verdict)
  })

  function swapSizes() {
    const { old_size: from, new_size: to, ...proof } = log.consistency(5)
    return { ...proof, old_size: to, new_size: from }
  }

  function swapEnds() {
    const { old_root: oldRoot, new_root: newRoot, ...proof } = swapSizes()
    return { ...proof, old_root: newRoot, new_root: oldRoot }
  }

  function inCapitals() {
    const proof = log.consistency(5)
    return { ...proof, old_root: proof.old_root.toUpperCase() }
  }
})

function read(text: string): JsonObject {
  const parsed = readJsonObject(new TextEncoder().encode(text))
  if (!parsed.readable) throw new Error(parsed.fault)
  return parsed.object
}

describe('a size not written whole', () => {
  it.each<[HistoryVerdict, string, string]>([
    ['invalid_head', '"tree_size":5,', '"tree_size":5.0,'],
    ['fork', '"old_size":5,', '"old_size":5.0,'],
    ['fork', '"new_size":11,', '"new_size":1.1e1,'],
    ['invalid_proof', '"leaf_index":2,', '"leaf_index":2.0,'],
  ])('%s: %s as %s', (verdict, whole, other) => {
    const text = JSON.stringify(good)
    expect(text).toContain(whole)
    expect(assessHistory(read(text), pinned)).toBe('consistent')
    expect(assessHistory(read(text.replace(whole, other)), pinned)).toBe(verdict)
  })
})

describe('a history across a rotation', () => {
  const NEXT_NOON = 24 * 60

  it('is judged whole by the list of keys, each head by the key of its time', async () => {
    const trust = trustIn(newKeyListed, publishedKey(oldKey, RETIRED))
    const later = await headOf(log, 11, NEXT_NOON, newKey)
    expect(assessHistory({ ...good, heads: [five, later] }, trust)).toBe('consistent')
    const [late, early] = await Promise.all([headOf(log, 11, NEXT_NOON, oldKey), headOf(log, 11, 11, newKey)])
    expect(assessHistory({ ...good, heads: [five, late] }, trust)).toBe('invalid_head')
    expect(assessHistory({ ...good, heads: [five, early] }, trust)).toBe('invalid_head')
  })

  it('has no head of a revoked key, however old', async () => {
    const later = await headOf(log, 11, NEXT_NOON, newKey)
    for (const changes of [REVOKED, { ...REVOKED, suspected_since: '2026-11-20T23:00:00Z' }]) {
      const trust = trustIn(newKeyListed, publishedKey(oldKey, changes))
      expect(assessHistory({ ...good, heads: [five, later] }, trust)).toBe('invalid_head')
    }
  })
})

describe('any history of one log', () => {
  const steps = fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { minLength: 1, maxLength: 6 })

  it('is consistent, and no more once one hash of it is another', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(10), fc.nat(), async (some, leaf, spoiled) => {
        const sizes = some.toSorted((first, second) => first - second)
        const heads = await Promise.all(sizes.map((size) => headOf(log, size, size)))
        const consistency = sizes.slice(1).map((size, at) => log.consistency(sizes[at] ?? size, size))
        const newest = sizes.at(-1) ?? 1
        const inclusions = [{ proof: log.inclusion(leaf % newest, newest), record_timestamp: timeAt(0) }]
        const bundle = { heads, consistency, inclusions }
        expect(assessHistory(bundle, pinned)).toBe('consistent')
        const hashes = [...JSON.stringify(bundle).matchAll(/[0-9a-f]{64}/g)]
        const { index = 0, 0: hash = '' } = hashes[spoiled % hashes.length] ?? {}
        const text = JSON.stringify(bundle)
        const other = (hash.startsWith('0') ? '1' : '0') + hash.slice(1)
        const changed = text.slice(0, index) + other + text.slice(index + 64)
        expect(assessHistory(read(changed), pinned)).not.toBe('consistent')
      }),
      { numRuns: 60, seed: 20_261_120 },
    )
  })
})
