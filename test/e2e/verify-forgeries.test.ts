// Tests forgeries against countersign-verify: each way of passing one thing off as another, alone and among lines.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/platform/json.ts'
import { signOrganisationHead, signPublicHead } from '../../src/evidence/records/tree-head.ts'
import { NO_OPTIONS, MisuseError, type CheckOptions } from '../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../src/evidence/verify/check-document.ts'
import { DOCUMENT_KINDS, type DocumentKind } from '../../src/evidence/verify/document-kind.ts'
import { FindingsReport } from '../../src/evidence/verify/findings-report.ts'
import {
  leafOfRecord,
  growTree,
  makeEvidence,
  makeRecord,
  newKeyListed,
  newKey,
  oldKey,
  OTHER,
  OWN,
  publishedKey,
  REVOKED,
  strangerKey,
  trustIn,
} from '../fixtures/evidence/invented-evidence.ts'
import { makeErasure } from '../fixtures/evidence/invented-erasure.ts'

const { bundle, record, last, ownTree, publicTree } = await makeEvidence()
const forged = { ...record, outcome: 'BLOCKED' }
const ownHead = bundle.organisation_log.head
const publicHead = bundle.public_log.head
const inclusion = bundle.public_log.proof
const consistency = publicTree.consistency(3)
const smallHead = await signPublicHead({ treeSize: 3, root: publicTree.root(3), at: 0 }, oldKey)
const history = { heads: [publicHead], inclusions: [{ proof: inclusion }] }
const answer = { object: 'chat.completion', choices: [], aqta: { trace_id: record.trace_id, attestation: record } }
const failure = { error: { code: 'provider_error' }, aqta: answer.aqta }
const entry = { id: record.attestation_id, attestation: record }
const erasure = await makeErasure()

/** A tree of one leaf, whose root is the leaf: the proof that anyone can write. */
const anyProof = (leaf: string) => ({ audit_path: [], leaf_index: 0, tree_size: 1, leaf_hash: leaf, root_hash: leaf })
const anyConsistency = {
  old_size: 1,
  new_size: 1,
  old_root: '0'.repeat(64),
  new_root: '0'.repeat(64),
  consistency_path: [],
}

type Outcome = { exit: number; codes: (string | null)[] }

const asJson = (document: object): JsonObject => JSON.parse(JSON.stringify(document)) as JsonObject

function check(
  document: object,
  {
    proof,
    heads = [],
    ...more
  }: Partial<Record<'proof', object>> & { heads?: object[] } & Partial<Pick<CheckOptions, 'trust' | 'kind'>> = {},
): Outcome {
  const options: CheckOptions = {
    ...NO_OPTIONS,
    trust: { keys: [oldKey.publicKey] },
    proof: proof === undefined ? null : asJson(proof),
    heads: heads.map(asJson),
    ...more,
  }
  const [alone, among] = [new FindingsReport(), new FindingsReport()]
  const findings = checkDocument(asJson(document), options)
  alone.add(findings)
  among.add(findings, 1)
  expect(among.exitCode()).toBe(alone.exitCode())
  return { exit: alone.exitCode(), codes: findings.map(({ code }) => code) }
}

const valid = { exit: 0 }
const refusedFor = (code: string) => ({ exit: 1, codes: expect.arrayContaining([code]) as string[] })

describe('what is genuine', () => {
  const GENUINE: Readonly<Record<DocumentKind, readonly [object, { heads?: object[] }]>> = {
    record: [record, {}],
    answer: [answer, {}],
    entry: [entry, {}],
    inclusion: [inclusion, { heads: [publicHead] }],
    consistency: [consistency, { heads: [smallHead, publicHead] }],
    head: [publicHead, {}],
    bundle: [bundle, {}],
    history: [history, {}],
    erasure: [erasure, {}],
  }

  it.each(DOCUMENT_KINDS)('%s is valid, told by its members and named', (kind) => {
    const [document, given] = GENUINE[kind]
    expect(check(document, given)).toMatchObject(valid)
    expect(check(document, { ...given, kind })).toMatchObject(valid)
  })

  it.each(DOCUMENT_KINDS)('%s is not valid under the name of another kind', (kind) => {
    const [document] = GENUINE[kind]
    for (const other of DOCUMENT_KINDS.filter((each) => each !== kind)) {
      expect(check(document, { kind: other }).exit, other).toBe(1)
    }
  })

  it.each(DOCUMENT_KINDS)('%s is not valid with a member of any other kind in it', (kind) => {
    const [document, given] = GENUINE[kind]
    for (const [other, [foreign]] of Object.entries(GENUINE)) {
      if (other === kind || (kind === 'head' && other === 'inclusion')) continue
      const told = check({ ...foreign, ...document }, given)
      expect([other, told.exit]).toEqual([other, 1])
      expect(check({ ...foreign, ...document }, { ...given, kind }).exit, other).toBe(1)
    }
  })

  it('is a whole answer with what the provider sent', () => {
    expect(check({ ...answer, id: 'chatcmpl-1', usage: {}, citations: [] })).toMatchObject(valid)
  })

  it('is a head with the hints that some logs publish beside it', () => {
    expect(check({ ...publicHead, proof: '/v1/proof', consistency: '/v1/consistency', _note: '' })).toMatchObject(valid)
  })
})

describe('a forged record with a proof’s members in it', () => {
  it.each<[string, object]>([
    ['of an inclusion proof', anyProof('0'.repeat(64))],
    ['of a consistency proof', anyConsistency],
    ['of a genuine inclusion proof', inclusion],
    ['of a genuine head', publicHead],
    ['of a history', history],
    ['of an evidence bundle', bundle],
  ])('%s', (_, members) => {
    expect(check({ ...forged, ...members })).toEqual({ exit: 1, codes: ['mixed_members'] })
    expect(check({ ...forged, ...members }, { kind: 'record' }).exit).toBe(1)
    expect(check({ ...forged, ...members }, { kind: 'inclusion', heads: [publicHead] }).exit).toBe(1)
  })
})

describe('a forged record with a genuine one inside', () => {
  it.each<[string, object]>([
    ['as attestation', { attestation: record }],
    ['as aqta', { aqta: answer.aqta }],
    ['as an answer', answer],
    ['as an export line', entry],
    ['as an error', failure],
  ])('%s', (_, inner) => {
    expect(check({ ...forged, ...inner })).toEqual({ exit: 1, codes: ['mixed_members'] })
    for (const kind of ['record', 'answer', 'entry'] as const) {
      expect(check({ ...forged, ...inner }, { kind }).exit, kind).toBe(1)
    }
  })
})

describe('an answer that is none', () => {
  it.each<[string, object]>([
    ['aqta alone', { aqta: answer.aqta }],
    ['a record beside aqta', { object: 'chat.completion', attestation: record, aqta: answer.aqta }],
    ['another object', { ...answer, object: 'chat.completion.chunk' }],
    ['no object', { choices: [], aqta: answer.aqta }],
    ['a completion that is an error too', { ...answer, error: {} }],
    ['a record in place of aqta', { object: 'chat.completion', aqta: record }],
    ['no record', { object: 'chat.completion', aqta: { attestation: null } }],
    ['a record in a list', { object: 'chat.completion', aqta: { attestation: [record] } }],
    ['a deeper record', { object: 'chat.completion', aqta: { aqta: { attestation: record } } }],
  ])('%s', (_, document) => {
    expect(check(document).exit).toBe(1)
    expect(check(document, { kind: 'answer' }).exit).toBe(1)
  })

  it('is an error, whatever has been put into it', () => {
    const id = { error: failure.error, aqta: { attestation_id: record.attestation_id } }
    expect([check(failure), check(id)]).toEqual([refusedFor('error_body'), refusedFor('error_body')])
  })

  it.each<[string, object]>([
    ['of another trace', { trace_id: last.trace_id }],
    ['of another outcome', { status: 'blocked' }],
    ['of no outcome', { status: null }],
  ])('with the record %s', (_, members) => {
    expect(check({ ...answer, aqta: { ...answer.aqta, ...members } })).toEqual(refusedFor('record_of_another_call'))
  })

  it('whose record has more in it', () => {
    const inner = { ...record, ...anyProof('0'.repeat(64)) }
    expect(check({ ...answer, aqta: { attestation: inner } })).toEqual(refusedFor('mixed_members'))
    expect(check({ ...answer, aqta: { attestation: { ...record, note: '' } } })).toEqual(refusedFor('unknown_member'))
  })
})

describe('an export line of another shape', () => {
  it.each<[string, object]>([
    ['a member more', { ...entry, note: '' }],
    ['no id', { attestation: record }],
    ['an id that is no text', { ...entry, id: 1 }],
    ['no record', { ...entry, attestation: 'record' }],
    ['an outcome of its own', { ...entry, outcome: 'ALLOWED' }],
  ])('%s', (_, document) => {
    expect(check(document).exit).toBe(1)
    expect(check(document, { kind: 'entry' }).exit).toBe(1)
  })
})

describe('a proof that no trusted key stands behind', () => {
  it('is not proven, however well it adds up', () => {
    const notProven = { exit: 1, codes: ['not_proven'] }
    for (const proof of [inclusion, consistency, anyProof('0'.repeat(64)), anyConsistency]) {
      expect(check(proof)).toEqual(notProven)
      expect(check(proof, { trust: null })).toEqual(notProven)
      expect(check(proof, { trust: { integrityOnly: true } })).toEqual(notProven)
    }
  })

  it('is not proven for a genuine record either', () => {
    expect(check(record, { proof: inclusion })).toEqual({ exit: 1, codes: [null, 'not_proven'] })
  })

  it('is not proven by a head that a stranger signed', async () => {
    const head = await signPublicHead({ treeSize: 6, root: publicTree.root(), at: Date.now() }, strangerKey)
    expect(check(inclusion, { heads: [head] })).toEqual({ exit: 1, codes: ['not_proven', 'signature_mismatch'] })
    expect(check(record, { proof: inclusion, heads: [head] }).exit).toBe(1)
  })

  it('of growth needs both its heads, of one log', async () => {
    expect(check(consistency, { heads: [publicHead] })).toEqual(refusedFor('not_proven'))
    expect(check(consistency, { heads: [smallHead] })).toEqual(refusedFor('not_proven'))
    const sameTree = await signOrganisationHead({ orgId: OWN, treeSize: 3, root: publicTree.root(3) }, oldKey)
    expect(check(consistency, { heads: [publicHead, sameTree] })).toEqual(refusedFor('head_of_another_log'))
    expect(check({ ...consistency, log: 'public' }, { heads: [sameTree, sameTree] })).toEqual(
      refusedFor('head_of_another_log'),
    )
    expect(check({ ...consistency, org_id: OTHER }, { heads: [smallHead, publicHead] })).toEqual(
      refusedFor('head_of_another_log'),
    )
  })
})

describe('a proof or head that belongs to something else', () => {
  const ownProof = bundle.organisation_log.proof

  it.each<[string, object, object, object[]]>([
    ['leaf_mismatch', last, inclusion, [publicHead]],
    ['leaf_mismatch', record, publicTree.inclusion(3), [publicHead]],
    ['proof_of_another_log', record, { ...ownProof, attestation_id: last.attestation_id }, [ownHead]],
    ['proof_of_another_log', record, { ...ownProof, org_id: OTHER }, [ownHead]],
    ['head_of_another_tree', record, inclusion, [ownHead]],
    ['head_of_another_tree', record, publicTree.inclusion(4, 5), [publicHead]],
    ['head_of_another_tree', record, inclusion, [publicHead, smallHead]],
    ['root_mismatch', record, { ...inclusion, root_hash: smallHead.root_hash }, [publicHead]],
    ['mixed_members', record, { ...inclusion, ...record }, [publicHead]],
    ['mixed_members', record, inclusion, [{ ...publicHead, ...inclusion }]],
    ['mixed_members', record, inclusion, [{ ...publicHead, outcome: 'ALLOWED' }]],
  ])('%s', (code, document, proof, heads) => {
    expect(check(document, { proof, heads })).toEqual(refusedFor(code))
  })

  it('is refused from another organisation’s log, even over the same leaves', async () => {
    const head = await signOrganisationHead({ orgId: OTHER, treeSize: 5, root: ownTree.root() }, oldKey)
    const { org_id: _, ...proof } = ownProof
    expect(check(record, { proof, heads: [head] })).toEqual(refusedFor('head_of_another_log'))
    expect(check(ownProof, { heads: [head] })).toEqual(refusedFor('head_of_another_log'))
    const ofAnotherLog = { ...inclusion, log: 'another' }
    expect(check(ofAnotherLog, { heads: [publicHead] })).toEqual(refusedFor('head_of_another_log'))
  })

  it('is refused by itself with the head of another tree', () => {
    expect(check(inclusion, { heads: [smallHead] })).toEqual(refusedFor('head_of_another_tree'))
  })

  it('is refused where the record claims to be younger than the head', async () => {
    const young = await makeRecord(OWN, oldKey, Date.UTC(2030, 0, 1))
    const tree = growTree([leafOfRecord(young)])
    const head = await signPublicHead({ treeSize: 1, root: tree.root(), at: Date.UTC(2029, 11, 31) }, oldKey)
    expect(check(young, { proof: tree.inclusion(0), heads: [head] })).toEqual(refusedFor('record_after_head'))
  })
})

describe('integrity alone', () => {
  const trust = { integrityOnly: true } as const

  it('never ends with 0: whoever made the record chose its key', async () => {
    expect(check(await makeRecord(OWN, strangerKey), { trust })).toEqual({ exit: 1, codes: ['not_proven'] })
    expect(check(answer, { trust })).toEqual({ exit: 1, codes: ['not_proven'] })
    expect(check(forged, { trust })).toEqual({ exit: 1, codes: ['signature_mismatch'] })
  })

  it.each<[string, object, object]>([
    ['a proof and its head', record, { proof: inclusion, heads: [publicHead] }],
    ['a proof', record, { proof: inclusion }],
    ['a head', publicHead, {}],
    ['a proof by itself with a head', inclusion, { heads: [publicHead] }],
    ['a bundle', bundle, {}],
    ['a history', history, {}],
  ])('is not asked of %s', (_, document, given) => {
    expect(() => check(document, { ...given, trust })).toThrow(MisuseError)
  })
})

describe('what is given and would not be used', () => {
  it.each<[string, object, object]>([
    ['a head without a proof', record, { heads: [publicHead] }],
    ['a head beside a head', publicHead, { heads: [publicHead] }],
    ['a proof beside a head', publicHead, { proof: inclusion }],
    ['a proof beside a bundle', bundle, { proof: inclusion }],
    ['a head beside a history', history, { heads: [publicHead] }],
  ])('%s is refused', (_, document, given) => {
    expect(() => check(document, given)).toThrow(MisuseError)
  })

  it.each([record, publicHead, bundle, history])('needs a key: %#', (document) => {
    expect(() => check(document, { trust: null })).toThrow(MisuseError)
  })
})

describe('a revoked key', () => {
  const list = (more: object) => trustIn(newKeyListed, publishedKey(oldKey, { ...REVOKED, ...more }))
  const suspected = { suspected_since: '2026-11-20T06:00:00Z' }

  it('is no word for a record by itself, nor by a head of its own', () => {
    for (const trust of [list({}), list(suspected)]) {
      expect(check(record, { trust })).toEqual(refusedFor('key_revoked'))
      expect(check(record, { trust, proof: inclusion, heads: [publicHead] })).toEqual(refusedFor('key_revoked'))
    }
  })

  it('does not spoil a record from before, in a log whose head a good key has signed', async () => {
    const head = await signPublicHead({ treeSize: 6, root: publicTree.root(), at: Date.UTC(2026, 10, 21, 1) }, newKey)
    const logged = { proof: inclusion, heads: [head] }
    expect(check(record, { trust: list(suspected), ...logged })).toMatchObject(valid)
    expect(check(record, { trust: list({}), ...logged })).toEqual(refusedFor('key_revoked'))
    // One head that is not good is enough to doubt.
    expect(check(record, { trust: list(suspected), ...logged, heads: [head, publicHead] }).exit).toBe(1)
  })
})
