// Which of the findings that overlap are reported.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CERTAINTY, type Finding } from '../../../../src/scanning/identifiers/finding.ts'
import { SHAPES, type Shape } from '../../../../src/scanning/identifiers/shapes/index.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { resolveOverlaps } from '../../../../src/scanning/identifiers/overlaps.ts'

const finding: fc.Arbitrary<Finding<Shape>> = fc
  .record({
    shape: fc.constantFrom(...SHAPES),
    start: fc.nat(60),
    length: fc.integer({ min: 1, max: 20 }),
    certainty: fc.constantFrom(...Object.values(CERTAINTY)),
  })
  .map(({ shape, start, length, certainty }) => ({ shape, start, end: start + length, certainty }))

type Range = { start: number; end: number }
const overlap = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end

it('are apart, in order, and each that is left out overlaps one that is as sure, and as long if it is no surer', () => {
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 40 }), (given) => {
      const kept = resolveOverlaps(given)
      for (const [at, { start }] of kept.entries()) expect(start).toBeGreaterThanOrEqual(kept[at - 1]?.end ?? 0)
      const isKept = (one: Finding<Shape>): boolean =>
        kept.some(({ shape, start, end }) => shape === one.shape && start === one.start && end === one.end)
      const best = given.filter(isKept)
      for (const one of given.filter((each) => !isKept(each))) {
        const over = best.filter((each) => overlap(each, one))
        const length = one.end - one.start
        expect(
          over.some(
            (each) =>
              each.certainty < one.certainty || (each.certainty === one.certainty && each.end - each.start >= length),
          ),
        ).toBe(true)
      }
    }),
    { numRuns: 500, seed: 24 },
  )
})

it('of one place, if as sure, have the name of the shape with the most structure', () => {
  const order =
    'email_address date_of_birth pps_number eircode uk_postcode date chi_number health_and_care_number phone_number nhs_number hospital_record_number'
  const names: string[] = []
  for (let left = [...IDENTIFIER_SHAPES]; left.length > 0; left = left.filter((shape) => !names.includes(shape))) {
    const given = left.map((shape) => ({ shape, start: 0, end: 9, certainty: CERTAINTY.shaped }))
    names.push(...resolveOverlaps(given).map(({ shape }) => shape))
  }
  expect(names.join(' ')).toBe(order)
})
