// An anchor is believed only of the log whose signed head continues it, and only as far as it goes; its absence is told.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { signOrganisationHead, signPublicHead } from '../../../../src/evidence/records/tree-head.ts'
import { canonicalBytes } from '../../../../src/evidence/records/canonical-json.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import type { SigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { anchorLeaf, newAnchor } from '../../../../src/evidence/bundles/anchor.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkAnchor, lastLeafOf } from '../../../../src/evidence/verify/check-anchor.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import {
  ANCHORED_AT,
  DAY,
  growTree,
  makeAnchor,
  makeEvidence,
  newKey,
  oldKey,
  OTHER,
  OWN,
  publishedKey,
  REVOKED,
  strangerKey,
} from '../../../fixtures/evidence/invented-evidence.ts'

const PINNED = { keys: [oldKey.publicKey] }

type Tree = ReturnType<typeof growTree>

const leaf = (text: string): Uint8Array => hashLeaf(new TextEncoder().encode(text))

const logOf = (name: string, size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, at) => leaf(`${name} ${at}`))

const headOf = (tree: Tree, size = tree.size, orgId = OWN, key: SigningKey = oldKey) =>
  signOrganisationHead({ orgId, treeSize: size, root: tree.root(size) }, key)

const log = growTree(logOf('entry', 13))
const anchor = await makeAnchor({ of: log, size: 9, to: 13 })
const head = await headOf(log)

const parsed = (value: unknown): unknown => {
  const read = readJsonObject(new TextEncoder().encode(JSON.stringify({ value })))
  return read.readable ? read.object['value'] : null
}

const check = (value: unknown, of: Partial<Parameters<typeof checkAnchor>[1]> = {}, trust = PINNED) =>
  checkAnchor(parsed(value), { head, last: null, ...of }, trust)

const codeOf = (...given: Parameters<typeof check>) => check(...given).code

describe('an anchor', () => {
  it('says up to which size the log is anchored, and as of when', () => {
    expect(check(anchor)).toEqual({
      kind: 'anchor',
      valid: true,
      subject: `${OWN}, up to 9 of 13 leaves, as of ${DAY}06:01:00Z`,
      code: null,
      reason: null,
    })
  })

  it('says of a leaf after it that it is not anchored yet, and is no less valid for that', () => {
    expect(check(anchor, { last: 8 })).toMatchObject({ valid: true, code: null })
    expect(check(anchor, { last: 9 })).toMatchObject({
      valid: true,
      code: 'not_anchored_yet',
      reason: 'Leaf 9 came after that and is not anchored yet.',
    })
  })

  it('may be of the very tree that the head is of, or of a larger one', async () => {
    const whole = await makeAnchor({ of: log, size: 13, to: 13 })
    expect(check(whole, { last: 12 })).toMatchObject({ valid: true, code: null })
    const later = await makeAnchor({ of: log, size: 13, to: 9 })
    const { subject, valid } = check(later, { head: await headOf(log, 9), last: 8 })
    expect([valid, subject]).toEqual([true, `${OWN}, up to 13 of 13 leaves, as of ${DAY}06:01:00Z`])
  })

  it('that is not there is told, whether it was null or was taken out', () => {
    for (const absent of [null, undefined]) {
      expect(checkAnchor(absent, { head, last: 3 }, PINNED)).toMatchObject({ valid: true, code: 'not_anchored' })
    }
  })

  it('is shown as a note where there is something to know, and never as valid', () => {
    const report = new FindingsReport()
    report.add([checkAnchor(null, { head, last: 3 }, PINNED), check(anchor, { last: 12 }), check(anchor)])
    expect(report.exitCode()).toBe(0)
    expect(
      report
        .toText(false)
        .split('\n')
        .map((line) => line.split('  ')[0]),
    ).toEqual(['note', 'note', 'valid'])
  })

  it('is of no use where the head is not one of an organisation that a trusted key has signed', async () => {
    for (const other of [await headOf(log, 13, OWN, strangerKey), anchor.public_log.head, undefined, {}]) {
      expect(codeOf(anchor, { head: other })).toBe('not_proven')
    }
  })

  it.each([
    ['the size', { tree_size: 10 }],
    ['the root', { root_hash: 'ab'.repeat(32) }],
    ['the time', { timestamp: '2026-11-20T05:00:00.000Z' }],
    ['the salt', { salt: 'ab'.repeat(32) }],
    ['the log', { log_id: 'cd'.repeat(32) }],
    ['the id', { anchor_id: 'b2f3a1c0-0000-4000-8000-000000000000' }],
  ])('is refused with %s changed', (_, change) => {
    expect(codeOf({ ...anchor, document: { ...anchor.document, ...change } })).toBe('anchor_mismatch')
  })

  it.each([
    ['a member more', { ...anchor, extra: 1 }],
    ['a member more in the document', { ...anchor, document: { ...anchor.document, extra: 1 } }],
    ['a member less in the document', { ...anchor, document: { ...anchor.document, salt: undefined } }],
    ['a member more in the proof of consistency', { ...anchor, consistency: { ...anchor.consistency, v: 1 } }],
    ['no public log', { ...anchor, public_log: null }],
    ['another version', { ...anchor, document: { ...anchor.document, v: 'anchor-2' } }],
    ['no leaf', { ...anchor, document: { ...anchor.document, tree_size: 0 } }],
    ['a text instead', 'anchor'],
    ['a list instead', [anchor]],
  ])('is none with %s', (_, value) => {
    expect(codeOf(value)).toBe('not_an_anchor')
  })

  it('is none where a size is not written whole', () => {
    const text = JSON.stringify({ value: anchor }).replace('"tree_size":9', '"tree_size":9.0')
    const read = readJsonObject(new TextEncoder().encode(text))
    const value = read.readable ? read.object['value'] : null
    expect(checkAnchor(value, { head, last: null }, PINNED).code).toBe('not_an_anchor')
  })

  it('of another organisation is refused, with its own proof or with one of this log', async () => {
    const elsewhere = growTree(logOf('of another', 13))
    const other = await makeAnchor({ of: elsewhere, size: 9, to: 13 })
    expect(check(other, { head: await headOf(elsewhere, 13, OTHER) }).valid).toBe(true)
    expect(codeOf(other)).toBe('anchor_of_another_log')
    expect(codeOf({ ...other, consistency: anchor.consistency })).toBe('anchor_of_another_log')
    const claimed = { ...other.consistency, new_root: log.consistency(9).new_root }
    expect(codeOf({ ...other, consistency: claimed })).toBe('fork')
  })

  it('shows a fork: a log that was anchored and then went on from before that', async () => {
    const forked = growTree([...logOf('entry', 8), ...logOf('rewritten', 5)])
    const forkedHead = await headOf(forked)
    const proofs = [anchor.consistency, forked.consistency(9), forked.consistency(8)]
    for (const consistency of proofs) {
      expect(codeOf({ ...anchor, consistency }, { head: forkedHead })).toBe('anchor_of_another_log')
    }
    const { new_root } = forked.consistency(9)
    for (const { consistency_path } of proofs) {
      const consistency = { ...anchor.consistency, new_root, consistency_path }
      expect(codeOf({ ...anchor, consistency }, { head: forkedHead })).toBe('fork')
    }
  })

  it('shows a log that was put back: two anchored roots of one size', async () => {
    const rewritten = growTree([...logOf('entry', 8), leaf('rewritten')])
    const second = await makeAnchor({ of: rewritten, size: 9, to: 9 })
    expect(codeOf(second, { head: await headOf(log, 9) })).toBe('anchor_of_another_log')
  })

  it('is refused where no trusted key has signed the public head, or the document’s own list takes that away', async () => {
    expect(codeOf(await makeAnchor({ of: log, size: 9, to: 13, key: strangerKey }))).toBe('signature_mismatch')
    const byNew = await makeAnchor({ of: log, size: 9, to: 13, key: newKey })
    const both = { keys: [oldKey.publicKey, newKey.publicKey] }
    expect(check(byNew, {}, both).valid).toBe(true)
    expect(check(byNew, { keys: [publishedKey(newKey)] }, both).valid).toBe(true)
    expect(check(byNew, { keys: [publishedKey(oldKey)] }, both).valid).toBe(false)
    const revoked = publishedKey(newKey, { ...REVOKED, valid_until: `${DAY}01:00:00Z`, revoked_at: `${DAY}01:00:00Z` })
    expect(check(byNew, { keys: [revoked] }, both).reason).toMatch(/^By the document’s own list of keys: /)
  })

  it('is refused under another head than that of the proof, or a head of an organisation', async () => {
    const other = await makeAnchor({ of: log, size: 9, to: 13 })
    const swapped = { ...anchor, public_log: { ...anchor.public_log, head: other.public_log.head } }
    expect(codeOf(swapped)).toBe('head_of_another_tree')
    const proof = { ...anchor.public_log.proof, root_hash: log.consistency(9).new_root }
    expect(codeOf({ ...anchor, public_log: { ...anchor.public_log, proof } })).toBe('root_mismatch')
    expect(codeOf({ ...anchor, public_log: { ...anchor.public_log, head } })).toBe('head_of_another_log')
  })

  it('is refused where its proof says that it is of another leaf or log', () => {
    const { proof } = anchor.public_log
    const named = (more: object) =>
      codeOf({ ...anchor, public_log: { ...anchor.public_log, proof: { ...proof, ...more } } })
    expect(named({})).toBe(null)
    expect(named({ attestation_id: crypto.randomUUID() })).toBe('anchor_mismatch')
    expect(named({ log: 'private' })).toBe('proof_of_another_log')
    expect(named({ org_id: OWN })).toBe('proof_of_another_log')
  })

  it('is refused where it claims a later time than the head that has it', async () => {
    expect(codeOf(await makeAnchor({ of: log, size: 9, to: 13, headAt: ANCHORED_AT - 1000 }))).toBe('anchor_after_head')
    expect(codeOf(await makeAnchor({ of: log, size: 9, to: 13, headAt: ANCHORED_AT }))).toBe(null)
  })

  it('cannot be what a record or another entry is: its leaf has a tag of its own', () => {
    const bytes = canonicalBytes(anchor.document)
    const tagged = (tag: number): string => hashLeaf(Uint8Array.of(tag, ...bytes)).toHex()
    const own = anchorLeaf(anchor.document).toHex()
    expect(own).toBe(tagged(0xc0))
    for (const tag of [0x00, 0x80, 0x86]) expect(tagged(tag)).not.toBe(own)
    expect(hashLeaf(bytes).toHex()).not.toBe(own)
  })

  it('has a salt of its own each time', () => {
    const salts = Array.from({ length: 50 }, () => newAnchor({ logId: '', size: 1, root: leaf(''), at: ANCHORED_AT }))
    expect(new Set(salts.map(({ salt }) => salt)).size).toBe(50)
    expect(new Set(salts.map((one) => anchorLeaf(one).toHex())).size).toBe(50)
  })

  it('is valid for every two sizes of a log, and for none of them in another log', async () => {
    const other = growTree([leaf('first of another'), ...logOf('entry', 40).slice(1)])
    const whole = growTree(logOf('entry', 40))
    const size = fc.integer({ min: 1, max: 40 })
    await fc.assert(
      fc.asyncProperty(size, size, async (anchored, of) => {
        const made = await makeAnchor({ of: whole, size: anchored, to: of })
        expect(check(made, { head: await headOf(whole, of) }).valid).toBe(true)
        expect(check(made, { head: await headOf(other, of) }).valid).toBe(false)
      }),
      { numRuns: 30 },
    )
  })
})

describe('lastLeafOf', () => {
  it('is the largest position that proofs speak of', () => {
    const at = (position: unknown) => ({ proof: { leaf_index: position } })
    expect(lastLeafOf([at(3), at(7), null, {}, at('9')])).toBe(7)
    expect(lastLeafOf([null, undefined, 'proof'])).toBe(null)
  })
})

describe('a bundle', () => {
  const AGAINST = { ...NO_OPTIONS, trust: PINNED }

  it('tells how far its log is anchored, beside all else', async () => {
    const { bundle, ownTree } = await makeEvidence()
    const anchored = await makeAnchor({ of: ownTree, size: 3, to: 5 })
    const findings = checkDocument({ ...bundle, anchor: anchored }, AGAINST)
    expect(findings.every(({ valid }) => valid)).toBe(true)
    // The record is leaf 2, its settlement leaf 3.
    expect(findings.at(-1)).toMatchObject({ kind: 'anchor', code: 'not_anchored_yet' })
    const covered = await makeAnchor({ of: ownTree, size: 4, to: 5 })
    expect(checkDocument({ ...bundle, anchor: covered }, AGAINST).at(-1)).toMatchObject({ kind: 'anchor', code: null })
  })

  it('without one says so, and is valid', async () => {
    const { bundle } = await makeEvidence()
    for (const stripped of [bundle, { ...bundle, anchor: null }]) {
      const findings = checkDocument(stripped, AGAINST)
      expect(findings.every(({ valid }) => valid)).toBe(true)
      expect(findings.at(-1)).toMatchObject({ kind: 'anchor', code: 'not_anchored' })
    }
  })

  it('without one says so in a file of lines too, and hides nothing that is wrong behind that', async () => {
    const { bundle } = await makeEvidence()
    const report = new FindingsReport()
    const lines = new LinesCheck(report, AGAINST)
    const take = (line: object) => lines.take(new TextEncoder().encode(JSON.stringify(line)))
    for (let n = 0; n < 101; n += 1) take(bundle)
    take({ ...bundle, record: { ...bundle.record, model: 'another' } })
    lines.end()
    const { findings, invalid } = report.toJson()
    expect(invalid).toBe(1)
    expect(findings[0]).toMatchObject({ kind: 'anchor', code: 'not_anchored', line: 1 })
    expect(findings.some(({ valid, line }) => !valid && line === 102)).toBe(true)
    expect(findings.filter(({ valid }) => valid).length).toBe(100)
  })

  it('shows a fork of the public log: two signed heads of one size', async () => {
    const { bundle, ownTree, publicTree } = await makeEvidence()
    const anchored = await makeAnchor({ of: ownTree, size: 4, to: 5 })
    const { size } = growTree([leaf('a'), leaf('b'), leaf('c')])
    const publicLog = {
      head: await signPublicHead({ treeSize: size, root: publicTree.root(size), at: ANCHORED_AT }, oldKey),
      proof: bundle.public_log.proof,
    }
    const codes = checkDocument({ ...bundle, anchor: anchored, public_log: publicLog }, AGAINST).map(({ code }) => code)
    expect(codes.at(-1)).toBe('public_log_forked')
    const same = { ...bundle, anchor: anchored, public_log: anchored.public_log }
    expect(checkDocument(same, AGAINST).at(-1)?.code).toBe(null)
  })

  it('with that of another log is not valid', async () => {
    const [{ bundle }, elsewhere] = [await makeEvidence(), await makeEvidence()]
    const other = await makeAnchor({ of: elsewhere.ownTree, size: 3, to: 5 })
    expect(checkDocument({ ...bundle, anchor: other }, AGAINST).filter(({ valid }) => !valid)).toMatchObject([
      { kind: 'anchor', code: 'anchor_of_another_log' },
    ])
  })
})
