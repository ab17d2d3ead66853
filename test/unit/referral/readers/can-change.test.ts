// Tests whether missing samples can still change what a reader names, against every way in which they could come.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canReadingChange,
  findsTwoProblems,
  tally,
  type Sample,
} from '../../../../src/referral/readers/tally-samples.policy.ts'

const AGES = ['Adult', 'Child', null] as const
const SEEN = ['A', 'B', null] as const
const LOST: Sample = { failed: 'timeout', ms: 1 }

type Age = (typeof AGES)[number]

const named = (specialty: string | null, ageGroup: Age = 'Adult', twoProblems = false): Sample => ({
  choice: { specialty, ageGroup, twoProblems },
  ms: 1,
})
const two = (ageGroup: Age = 'Adult'): Sample => named(null, ageGroup, true)

/** All that a sample can be: lost, two problems, one of those seen, one that nobody has named yet. */
const POSSIBLE: readonly Sample[] = [
  LOST,
  ...AGES.map(two),
  ...[...SEEN, 'new'].flatMap((name) => AGES.map((age) => named(name, age))),
]

/** Returns what a reader names: nothing, or a specialty (none of these is one), an age group and whether there are two problems. */
function whatIsNamed(samples: readonly Sample[]): string {
  const reading = tally('Reader A', samples)
  const { available, specialty, ageGroup } = reading
  return available ? JSON.stringify([specialty, ageGroup, findsTwoProblems(reading, samples)]) : 'nothing'
}

function everyEnd(samples: readonly Sample[], outstanding: number): Set<string> {
  if (outstanding === 0) return new Set([whatIsNamed(samples)])
  const ends = new Set<string>()
  for (const next of POSSIBLE) for (const end of everyEnd([...samples, next], outstanding - 1)) ends.add(end)
  return ends
}

const anySample: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...AGES).map((age) => named('A', age)) },
  {
    weight: 2,
    arbitrary: fc
      .record({ name: fc.constantFrom(...SEEN), age: fc.constantFrom(...AGES) })
      .map(({ name, age }) => named(name, age)),
  },
  { weight: 2, arbitrary: fc.constantFrom(...AGES).map(two) },
  { weight: 1, arbitrary: fc.constant(LOST) },
)

describe('samples that have not come', () => {
  it('can change what their reader names exactly where one way of coming differs from another', () => {
    const decided = { yes: 0, no: 0 }
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 7 }), fc.integer({ min: 0, max: 3 }), (samples, outstanding) => {
        const expected = everyEnd(samples, outstanding).size > 1
        decided[expected ? 'no' : 'yes'] += 1
        expect(canReadingChange(samples, outstanding)).toBe(expected)
      }),
      { seed: 20261120, numRuns: 600 },
    )
    expect(Math.min(decided.yes, decided.no)).toBeGreaterThan(100)
  })

  it('are not needed where a majority of all has come and they cannot change it: all would name the same', () => {
    const decided = { yes: 0, no: 0 }
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 1, maxLength: 8 }), (samples) => {
        const first = samples.slice(0, Math.floor(samples.length / 2) + 1)
        const isDecided = !canReadingChange(first, samples.length - first.length)
        decided[isDecided ? 'yes' : 'no'] += 1
        if (isDecided) expect(whatIsNamed(first)).toBe(whatIsNamed(samples))
      }),
      { seed: 20261121, numRuns: 2000 },
    )
    expect(Math.min(decided.yes, decided.no)).toBeGreaterThan(300)
  })

  it.each<[string, Sample[], number, boolean]>([
    ['none is left', [named('A')], 0, false],
    ['four of five agree', [named('A'), named('A'), named('A'), named('A')], 1, false],
    ['three of five agree', [named('A'), named('A'), named('A')], 2, false],
    ['two of three agree and two are left', [named('A'), named('A'), named('B')], 2, true],
    ['three agree and one does not, with one left', [named('A'), named('A'), named('A'), named('B')], 1, false],
    ['two agree, one does not, one is lost, with one left', [named('A'), named('A'), named('B'), LOST], 1, true],
    ['two tie, with one left', [named('A'), named('A'), named('B'), named('B')], 1, true],
    ['three are lost', [LOST, LOST, LOST], 2, false],
    ['two are lost and two agree', [LOST, LOST, named('A'), named('A')], 1, true],
    ['none has come', [], 5, true],
    ['all name none of these', [named(null), named(null), named(null)], 2, false],
    ['all find two problems', [two(), two(), two()], 2, false],
    ['two of three without a specialty find two problems', [two(), two(), named(null)], 2, true],
    ['one of three without a specialty finds two problems', [two(), named(null), named(null)], 2, true],
    ['one is lost and two agree', [LOST, named('A'), named('A')], 2, true],
    [
      'the specialty is sure and its age group is not',
      [named('A'), named('A', null), named('A', 'Child'), named('A')],
      1,
      true,
    ],
    [
      'no age group is stated, and one more would not do',
      [named('A', null), named('A', null), named('A', null)],
      2,
      false,
    ],
  ])('%s', (_, samples, outstanding, expected) => {
    expect(canReadingChange(samples, outstanding)).toBe(expected)
  })
})
