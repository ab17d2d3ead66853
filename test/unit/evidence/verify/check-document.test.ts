// Findings about documents that stand alone: how old a head is, and whether what is around a record belongs to it.
import { describe, expect, it } from 'vitest'
import { signPublicHead } from '../../../../src/evidence/records/tree-head.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { NO_OPTIONS, MisuseError } from '../../../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { makeEvidence, oldKey } from '../../../fixtures/evidence/invented-evidence.ts'

const { bundle, record, publicTree } = await makeEvidence()
const asJson = (document: object): JsonObject => JSON.parse(JSON.stringify(document)) as JsonObject

const NOON = Date.parse('2026-11-20T12:00:00Z') / 1000
const headOf = (size: number, seconds: number) =>
  signPublicHead({ treeSize: size, root: publicTree.root(size), at: seconds * 1000 }, oldKey)
const [older, newest] = [await headOf(3, NOON - 86_400), await headOf(publicTree.size, NOON)]

/** @param now seconds after noon; at most an hour old is asked for */
function codesOf(document: object, now: number | null, heads: readonly object[] = []): (string | null)[] {
  const freshness = now === null ? null : { maxAge: 3600, now: NOON + now }
  const trust = { keys: [oldKey.publicKey] }
  const found = checkDocument(asJson(document), { ...NO_OPTIONS, trust, freshness, heads: heads.map(asJson) })
  return found.map(({ code }) => code)
}

describe('the age of a head', () => {
  it('goes by the time that is signed in it', () => {
    expect(codesOf(newest, 3600)).toEqual([null, null])
    expect(codesOf(newest, 3601)).toEqual([null, 'too_old'])
    expect(codesOf(newest, -60)).toEqual([null, null])
    expect(codesOf(newest, -61)).toEqual([null, 'dated_ahead'])
  })

  it('is not told by a head that is not valid, or that signs no time', () => {
    expect(codesOf({ ...newest, timestamp: '2026-11-20T12:30:00Z' }, 3601)).toEqual(['signature_mismatch'])
    expect(codesOf(bundle.organisation_log.head, 0)).toEqual([null, 'not_proven'])
  })

  it('is asked of the heads of a proof: of the newer tree, where there are two', () => {
    expect(codesOf(publicTree.inclusion(4), 3600, [newest])).toEqual([null, null, null])
    expect(codesOf(publicTree.inclusion(4), 3601, [newest])).toEqual([null, null, 'too_old'])
    expect(codesOf(publicTree.consistency(3), 3600, [older, newest])).toEqual([null, null, null, null])
    expect(codesOf(publicTree.consistency(3), 3601, [older, newest])).toEqual([null, null, null, 'too_old'])
  })

  it('is refused beside what is no head', () => {
    for (const document of [record, bundle, publicTree.inclusion(4)]) {
      expect(() => codesOf(document, 0)).toThrow(MisuseError)
    }
  })
})

describe('an entry', () => {
  it('is named by the id of the record in it', () => {
    expect(codesOf({ id: record.attestation_id, attestation: record }, null)).toEqual([null])
    for (const id of ['entry_1', '', record.trace_id]) {
      expect(codesOf({ id, attestation: record }, null)).toEqual(['record_of_another_call'])
    }
  })
})
