import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideFromReadings } from '../../../src/referral/decision.policy.ts'
import { UNAVAILABLE_REASONS } from '../../../src/evidence/records/reading-words.ts'
import type { Reading } from '../../../src/referral/read.schema.ts'

type Named = { specialty?: string | null; ageGroup?: 'Adult' | 'Child' | null }

const reads = (model: Reading['model'], { specialty = 'Cardiology', ageGroup = 'Adult' }: Named = {}): Reading => ({
  model,
  available: true,
  reason: null,
  specialty,
  ageGroup,
  consistency: 1,
  taken: 5,
  samples: [],
})

const fails = (model: Reading['model'], reason: Reading['reason']): Reading => ({
  model,
  available: false,
  reason,
  specialty: null,
  ageGroup: null,
  consistency: 0,
  taken: 5,
  samples: [],
})

const anyReading = (model: Reading['model']): fc.Arbitrary<Reading> =>
  fc.oneof(
    fc
      .record({
        specialty: fc.constantFrom('Cardiology', 'Otolaryngology (ENT)', 'Paediatric ENT', null),
        ageGroup: fc.constantFrom('Adult' as const, 'Child' as const, null),
      })
      .map((named) => reads(model, named)),
    fc.constantFrom(...UNAVAILABLE_REASONS).map((reason) => fails(model, reason)),
  )

describe('decide', () => {
  it('says yes when both readers name the same specialty and age group', () => {
    expect(decideFromReadings([reads('Reader A'), reads('Reader B')])).toEqual({
      decision: 'yes',
      specialty: 'Cardiology',
      ageGroup: 'Adult',
      because: 'Both readers named the same specialty and the same age group.',
    })
  })

  it('asks when the readers name different specialties, and gives neither', () => {
    const decision = decideFromReadings([reads('Reader A'), reads('Reader B', { specialty: 'Neurology' })])
    expect(decision).toMatchObject({ decision: 'ask', specialty: null, ageGroup: null })
    expect(decision.because).toBe('The readers named different specialties. The clinician chooses.')
  })

  it('does not take Otolaryngology (ENT) and Paediatric ENT for one', () => {
    const both = decideFromReadings([
      reads('Reader A', { specialty: 'Otolaryngology (ENT)' }),
      reads('Reader B', { specialty: 'Paediatric ENT' }),
    ])
    expect(both.decision).toBe('ask')
  })

  it.each([
    ['Adult', 'Child', 'They differ on', ', so no age group is given'],
    ['Adult', null, 'Only one could tell', ', so no age group is given'],
    [null, 'Child', 'Only one could tell', ', so no age group is given'],
    [null, null, 'Neither could tell', ''],
  ] as const)('gives no age group that the readers do not share (%s, %s), and says why', (a, b, why, so) => {
    expect(decideFromReadings([reads('Reader A', { ageGroup: a }), reads('Reader B', { ageGroup: b })])).toEqual({
      decision: 'yes',
      specialty: 'Cardiology',
      ageGroup: null,
      because: `Both readers named the same specialty. ${why} whether the patient is an adult or a child${so}.`,
    })
  })

  it.each(UNAVAILABLE_REASONS)('asks when one reader is unavailable (%s), and names which', (reason) => {
    const decision = decideFromReadings([reads('Reader A'), fails('Reader B', reason)])
    expect(decision.decision).toBe('ask')
    expect(decision.because).toMatch(/^Reader B .*One reading alone decides nothing\. The clinician chooses\.$/)
  })

  it('names both readers when neither is available', () => {
    const { because } = decideFromReadings([fails('Reader A', 'timeout'), fails('Reader B', 'provider_error')])
    expect(because).toBe(
      'Reader A did not answer in time, and Reader B failed at its provider. There is no reading to go by. The clinician chooses.',
    )
  })

  it('asks when both readers find none of the specialties: two nulls are no agreement', () => {
    expect(
      decideFromReadings([reads('Reader A', { specialty: null }), reads('Reader B', { specialty: null })]).decision,
    ).toBe('ask')
  })

  it.each([
    [[null, null], [true, true], 'Both readers found that the letter asks about two problems.'],
    [
      [null, null],
      [true, false],
      'One reader found that the letter asks about two problems, and the other found no published specialty that it is for.',
    ],
    [
      ['Cardiology', null],
      [false, true],
      'One reader found that the letter asks about two problems, and the other named one specialty.',
    ],
  ] as const)('asks where a reader finds two problems (%j, %j), and says so', ([a, b], twoProblems, because) => {
    const readers = [reads('Reader A', { specialty: a }), reads('Reader B', { specialty: b })] as const
    expect(decideFromReadings(readers, twoProblems)).toEqual({
      decision: 'ask',
      specialty: null,
      ageGroup: null,
      because: `${because} The clinician chooses.`,
    })
  })

  it('says yes exactly when both are available and name the same specialty', () => {
    fc.assert(
      fc.property(anyReading('Reader A'), anyReading('Reader B'), (a, b) => {
        const decision = decideFromReadings([a, b])
        const agree = a.available && b.available && a.specialty !== null && a.specialty === b.specialty
        expect(decision.decision).toBe(agree ? 'yes' : 'ask')
        expect(decision.specialty).toBe(agree ? a.specialty : null)
        expect(decision.ageGroup).toBe(agree && a.ageGroup === b.ageGroup ? a.ageGroup : null)
      }),
    )
  })
})
