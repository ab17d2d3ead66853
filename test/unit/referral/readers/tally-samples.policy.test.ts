import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findsTwoProblems,
  tally,
  type FailedReason,
  type Sample,
} from '../../../../src/referral/readers/tally-samples.policy.ts'

type Age = 'Adult' | 'Child' | null

const named = (specialty: string | null, ageGroup: Age = 'Adult', twoProblems = false): Sample => ({
  choice: { specialty, ageGroup, twoProblems },
  ms: 7,
})
const lost = (failed: FailedReason): Sample => ({ failed, ms: 9 })

const reading = (...samples: Sample[]) => tally('Reader A', samples)

describe('tally', () => {
  it('gives the specialty named most often, and the share of all five that named it', () => {
    expect(reading(named('A'), named('B'), named('A'), named('A'), named('B'))).toMatchObject({
      available: true,
      reason: null,
      specialty: 'A',
      consistency: 0.6,
    })
  })

  it('counts none of these as an answer', () => {
    const samples = [named(null, null), named(null, null), named('A'), named(null, null), named('B')]
    expect(reading(...samples)).toMatchObject({ available: true, specialty: null, consistency: 0.6 })
  })

  it('has no majority where two answers tie, none of these included', () => {
    for (const other of ['B', null]) {
      const tied = reading(named('A'), named('A'), named(other), named(other), named('C'))
      expect(tied).toMatchObject({ available: false, reason: 'no_majority', specialty: null, consistency: 0.4 })
    }
  })

  it('takes two of five for a majority where the others differ among themselves', () => {
    const samples = [named('A'), named('A'), named('B'), named('C'), lost('timeout')]
    expect(reading(...samples)).toMatchObject({ specialty: 'A', consistency: 0.4 })
  })

  it('takes the age group from the samples that named the specialty, and none on a tie', () => {
    const others = [named('B', 'Child'), named('B', 'Child')]
    expect(reading(named('A', 'Adult'), named('A', 'Adult'), named('A', 'Child'), ...others).ageGroup).toBe('Adult')
    const tied = [named('A', 'Adult'), named('A', 'Adult'), named('A', 'Child'), named('A', 'Child')]
    expect(reading(...tied, named('B', 'Child')).ageGroup).toBeNull()
    expect(reading(named('A', null), named('A', null), named('A', 'Adult'), ...others).ageGroup).toBeNull()
  })

  it('is unavailable with fewer than three samples, by the commonest failure', () => {
    const two = [named('A'), named('A')]
    expect(reading(...two, lost('timeout'), lost('provider_error'), lost('provider_error'))).toMatchObject({
      available: false,
      reason: 'provider_error',
      specialty: null,
      samples: [{ specialty: 'A' }, { specialty: 'A' }],
    })
    expect(reading(...two, named('A'), lost('timeout'), lost('timeout'))).toMatchObject({ available: true })
  })

  it('takes half of an even number for too few, and one more for enough', () => {
    for (const [half, failures] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ] as const) {
      const valid = Array.from({ length: half }, () => named('A'))
      const failed = Array.from({ length: failures }, () => lost('invalid_answer'))
      expect(reading(...valid, ...failed)).toMatchObject({
        available: false,
        reason: 'invalid_answer',
        specialty: null,
        consistency: 0,
      })
      expect(reading(...valid, named('A'), ...failed.slice(1))).toMatchObject({ available: true, specialty: 'A' })
    }
  })

  it('names the time-out first where failures are equally common', () => {
    const samples = [lost('invalid_answer'), lost('provider_error'), lost('timeout'), named('A'), named('A')]
    expect(reading(...samples).reason).toBe('timeout')
  })

  it('never answers what fewer samples say than some other answer, whatever the samples', () => {
    const anySample = fc.oneof(
      fc.record({
        choice: fc.record({
          specialty: fc.constantFrom('A', 'B', 'C', null),
          ageGroup: fc.constantFrom<Age>('Adult', 'Child', null),
          twoProblems: fc.constant(false),
        }),
        ms: fc.nat(),
      }),
      fc.record({ failed: fc.constantFrom<FailedReason>('timeout', 'provider_error', 'invalid_answer'), ms: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 5, maxLength: 5 }), (samples) => {
        const { available, reason, specialty, consistency, samples: shown } = reading(...samples)
        const count = (value: string | null) => shown.filter((sample) => sample.specialty === value).length
        expect(shown).toHaveLength(samples.filter((sample) => 'choice' in sample).length)
        expect(available).toBe(reason === null)
        if (available) {
          for (const other of ['A', 'B', 'C', null]) {
            if (other !== specialty) expect(count(other)).toBeLessThan(count(specialty))
          }
          expect(consistency).toBe(count(specialty) / 5)
        } else {
          const most = Math.max(...['A', 'B', 'C', null].map(count))
          expect([specialty, consistency]).toEqual([null, reason === 'no_majority' ? most / 5 : 0])
        }
        expect(reason === 'no_majority' || shown.length >= 3).toBe(available || reason === 'no_majority')
      }),
    )
  })
})

describe('two problems', () => {
  const two = named(null, 'Adult', true)
  const none = named(null)

  it.each<[string, Sample[], string | null, boolean]>([
    ['all samples say so', [two, two, two, two, two], null, true],
    ['three of five say so', [two, two, two, named('A'), named('A')], null, true],
    ['more say so than none of these', [two, two, none, named('A'), named('A')], null, true],
    ['as many say none of these', [two, two, none, none, named('A')], null, false],
    ['only two say so', [two, two, named('A'), named('A'), named('A')], 'A', false],
  ])('are what the reader finds as its samples do: %s', (_what, samples, specialty, found) => {
    const tallied = reading(...samples)
    expect([tallied.available, tallied.specialty, findsTwoProblems(tallied, samples)]).toEqual([true, specialty, found])
    expect(tallied.samples.every((sample) => Object.keys(sample).join() === 'specialty,ageGroup,ms')).toBe(true)
  })

  it('are not found by a reader that is unavailable', () => {
    const samples = [two, two, named('A'), named('A'), lost('timeout')]
    expect(findsTwoProblems(reading(...samples), samples)).toBe(false)
  })
})
