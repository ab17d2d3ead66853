// The contract runner's rules of a read response: the decision follows from the two readers and from nothing else.
import { describe, expect, it } from 'vitest'
import { decisionDifferences } from '../../scripts/contract/read-route-rules.ts'
import type { ReadResponse } from '../../scripts/contract/response-schemas.ts'

type Reader = ReadResponse['readers'][0]

const reader = (model: string, named: Partial<Reader> = {}): Reader => ({
  model,
  available: true,
  reason: null,
  specialty: 'Cardiology',
  ageGroup: 'Adult',
  consistency: 1,
  taken: 5,
  samples: [],
  ...named,
})

const UNAVAILABLE: Partial<Reader> = { available: false, reason: 'timeout', specialty: null, ageGroup: null }

/** An answer of yes for an adult, with changes to it and to Reader B. */
const response = (change: Partial<ReadResponse>, b: Partial<Reader> = {}): ReadResponse => ({
  action: 'read',
  decision: 'yes',
  specialty: 'Cardiology',
  ageGroup: 'Adult',
  because: 'Both readers named the same specialty and the same age group.',
  readers: [reader('Reader A'), reader('Reader B', b)],
  sandbox: true,
  datasetVersion: { archiveDate: '2021-03-25', publishedOn: '2021-04-09', hash: '0'.repeat(64) },
  ...change,
})

const ASK = { decision: 'ask', specialty: null, ageGroup: null } as const
const asking = (because: string) => ({ ...ASK, because: `${because} The clinician chooses.` })
const NONE = [reader('Reader A', { specialty: null }), reader('Reader B', { specialty: null })] as const
const noAgeGroup = (why: string): string =>
  `Both readers named the same specialty. ${why} whether the patient is an adult or a child, so no age group is given.`
const DIFFER = noAgeGroup('They differ on')
const ONE_TELLS = noAgeGroup('Only one could tell')

describe('the rules of a read response', () => {
  it.each([
    ['yes when both name the same specialty', response({})],
    [
      'yes without an age group when they differ on it',
      response({ ageGroup: null, because: DIFFER }, { ageGroup: 'Child' }),
    ],
    [
      'yes without an age group when one reader cannot tell it',
      response({ ageGroup: null, because: ONE_TELLS }, { ageGroup: null }),
    ],
    ['ask when they differ', response(asking('The readers named different specialties.'), { specialty: 'Neurology' })],
    [
      'ask when a reader is unavailable',
      response(asking('Reader B did not answer in time. One reading alone decides nothing.'), UNAVAILABLE),
    ],
    [
      'ask when neither finds one',
      response({
        ...asking('Neither reader found a published specialty that the letter is for.'),
        readers: [...NONE],
      }),
    ],
    [
      'ask when both find two problems',
      response({ ...asking('Both readers found that the letter asks about two problems.'), readers: [...NONE] }),
    ],
    [
      'ask when one finds two problems and the other names one',
      response(asking('One reader found that the letter asks about two problems, and the other named one specialty.'), {
        specialty: null,
      }),
    ],
  ])('allow %s', (_, given) => {
    expect(decisionDifferences(given)).toEqual([])
  })

  it.each([
    ['advice', 'Both readers named the same specialty and the same age group. Refer to the nearest hospital.'],
    ['advice in the place of the reason', 'This looks urgent.'],
    ['the reason of another decision', 'The readers named different specialties. The clinician chooses.'],
    ['a reason with another ending', 'Both readers named the same specialty and the same age group'],
  ])('refuse a because that has %s', (_, because) => {
    expect(decisionDifferences(response({ because }))).toEqual([
      'because is not a sentence of the contract for these readers',
    ])
  })

  it.each([
    ['yes though the readers differ', response({}, { specialty: 'Neurology' })],
    ['yes though a reader is unavailable', response({}, UNAVAILABLE)],
    ['ask though they agree', response(ASK)],
    ['ask with the specialty of one reader', response({ ...ASK, specialty: 'Cardiology' }, { specialty: 'Neurology' })],
    ['ask with an age group', response({ ...ASK, ageGroup: 'Adult' }, { specialty: 'Neurology' })],
    ['an age group they differ on', response({}, { ageGroup: 'Child' })],
    ['a difference where one reader cannot tell', response({ ageGroup: null, because: DIFFER }, { ageGroup: null })],
    [
      'a reader that cannot tell where both do',
      response({ ageGroup: null, because: ONE_TELLS }, { ageGroup: 'Child' }),
    ],
    ['an unavailable reader that names a specialty', response(ASK, { ...UNAVAILABLE, specialty: 'Cardiology' })],
    ['an unavailable reader without a reason', response(ASK, { ...UNAVAILABLE, reason: null })],
    ['an available reader with a reason', response({}, { reason: 'no_majority' })],
  ])('refuse %s', (_, given) => {
    expect(decisionDifferences(given)).not.toEqual([])
  })
})
