// Facts of a decision under the id of its record: the published vectors, and the decisions that no tier may delete earlier.
import { describe, expect, it } from 'vitest'
import {
  commitToFacts,
  judgeFacts,
  judgeRepeatedHash,
  LEAST_RETENTION_DAYS,
} from '../../../../src/evidence/records/facts-commitment.ts'
import { retentionRange, TIERS } from '../../../../src/policies/tier.policy.ts'
import factsFile from '../../../fixtures/facts/facts.json'

const { vectors, not_covered, refused } = factsFile

describe('a commitment', () => {
  it.each(vectors)('of the vector $name', ({ facts, canonical, sha256, attestation_id }) => {
    expect(commitToFacts(facts)).toEqual({ text: canonical, sha256, attestationId: attestation_id })
    expect(judgeFacts(facts, attestation_id)).toEqual({ sha256 })
    expect(judgeRepeatedHash(sha256, sha256)).toBeNull()
  })

  it.each(refused)('refuses the vector $name', ({ facts, attestation_id, expect: fault }) => {
    expect(judgeFacts(facts, attestation_id)).toBe(fault)
  })

  it.each([
    ['a number that loses digits', { reserve_microeur: 2 ** 53 }],
    ['a retention below that of every tier', { retention_days: 6 }],
    ['a retention that is not whole', { retention_days: 7.5 }],
    ['a lone surrogate', { use_case: '\ud800' }],
  ])('refuses facts with %s', (_, changed) => {
    const [vector] = vectors
    expect(judgeFacts({ ...vector?.facts, ...changed }, vector?.attestation_id)).toBe('facts_malformed')
  })

  it('says that nothing covers facts without v and salt, and calls another whole hash a fault', () => {
    const [vector] = vectors
    const id = vector?.attestation_id
    expect(judgeFacts(not_covered.facts, id)).toBe('not_covered')
    expect(judgeFacts(null, id)).toBe('not_covered')
    expect(judgeRepeatedHash(vector?.sha256.toUpperCase(), vector?.sha256 ?? '')).toBe('facts_malformed')
    expect(judgeRepeatedHash('0'.repeat(64), vector?.sha256 ?? '')).toBe('facts_mismatch')
  })

  it('is for no shorter retention than the shortest of any tier', () => {
    for (const tier of TIERS) expect(retentionRange(tier).least).toBeGreaterThanOrEqual(LEAST_RETENTION_DAYS)
  })
})
