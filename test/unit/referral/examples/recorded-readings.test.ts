// The recorded readings keep the rules of live ones: five readings a reader, the commonest answer, and a decision that
// follows from the two readers alone.
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../../scripts/example-letters.ts'
import { decideFromReadings } from '../../../../src/referral/decision.policy.ts'
import { replayReading, type RecordedReader } from '../../../../src/referral/examples/examples.ts'

const { list, readings: recordings } = EXAMPLES

// Spellings of the publisher that its long and its by-specialty files have in common.
const PUBLISHED = new Set([
  'Cardiology',
  'Dermatology',
  'Endocrinology',
  'Otolaryngology (ENT)',
  'Paediatric ENT',
  'Gastro-Enterology',
  'Geriatric Medicine',
  'Haematology',
  'Neurology',
  'Paediatric Neurology',
  'Gynaecology',
  'Ophthalmology',
  'Orthopaedics',
  'Paed Orthopaedic',
  'Paediatrics',
  'Paed Cardiology',
  'Paed Endocrinology',
  'Paediatric Respiratory Medicine',
  'Paediatric Dermatology',
  'Plastic Surgery',
  'Nephrology',
  'Respiratory Medicine',
  'Rheumatology',
  'General Surgery',
  'Vascular Surgery',
  'Breast Surgery',
  'General Medicine',
  'Urology',
  'Paediatric Urology',
  'Diabetes Mellitus',
])

const readings = [...recordings]
const readers = readings.flatMap(([id, reading]) =>
  reading.readers.map((reader, index) => ({ name: `${id} ${index === 0 ? 'A' : 'B'}`, ...reader })),
)
type NamedReader = (typeof readers)[number]
const namesOf = (breaksTheRule: (reader: NamedReader) => boolean) =>
  readers.filter((reader) => breaksTheRule(reader)).map(({ name }) => name)
/** The shares a commonest answer can have of five readings; one of five can only be a tie, or too few valid ones. */
function possibleConsistencies({ available, reason }: RecordedReader): number[] {
  if (available) return [0.4, 0.6, 0.8, 1]
  return reason === 'no_majority' ? [0.2, 0.4] : [0, 0.2, 0.4]
}

describe('a recorded reader', () => {
  it('gives a reason exactly when it is unavailable', () => {
    expect(namesOf(({ available, reason }) => (reason === null) !== available)).toEqual([])
  })

  it('names nothing when it is unavailable', () => {
    expect(namesOf((reader) => !reader.available && (reader.specialty ?? reader.ageGroup) !== null)).toEqual([])
  })

  it('finds two problems only where it names nothing', () => {
    expect(
      namesOf(({ twoProblems, available, specialty }) => twoProblems && (!available || specialty !== null)),
    ).toEqual([])
  })

  it('names a published specialty, spelled as published', () => {
    expect(namesOf(({ specialty }) => specialty !== null && !PUBLISHED.has(specialty))).toEqual([])
  })

  it('has a consistency that five readings can give', () => {
    expect(namesOf((reader) => !possibleConsistencies(reader).includes(reader.consistency))).toEqual([])
  })
})

describe('the recorded readings', () => {
  it('are there for every letter but those refused for an identifier', () => {
    const read = list.filter(({ expected }) => expected.code !== 'identifier_found')
    expect(new Set(recordings.keys())).toEqual(new Set(read.map(({ id }) => id)))
  })

  it('lead to the decision each example expects', () => {
    for (const { id, expected } of list) {
      const reading = recordings.get(id)
      if (expected.status === 200 && reading !== undefined) {
        const { readers: replayed, twoProblems } = replayReading(reading, PUBLISHED)
        const { decision, specialty, ageGroup } = decideFromReadings(replayed, twoProblems)
        expect([id, decision, specialty, ageGroup]).toEqual([
          id,
          expected.decision,
          expected.specialty,
          expected.ageGroup,
        ])
      }
    }
  })

  it('span many specialties, so that the examples are not all of one field', () => {
    expect(new Set(readers.map(({ specialty }) => specialty)).size).toBeGreaterThanOrEqual(16)
  })
})
