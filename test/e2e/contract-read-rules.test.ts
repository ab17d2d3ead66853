// The contract runner's rules of a read response: the decision follows from the two readers and from nothing else.
import { describe, expect, it } from 'vitest'
import { decisionDifferences } from '../../scripts/contract/read-response.ts'
import type { ReadResponse } from '../../scripts/contract/shapes.ts'

type Reader = ReadResponse['readers'][0]

const reader = (model: string, named: Partial<Reader> = {}): Reader => ({
  model,
  available: true,
  reason: null,
  specialty: 'Cardiology',
  ageGroup: 'Adult',
  consistency: 1,
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
  because: 'As the readers said.',
  readers: [reader('Reader A'), reader('Reader B', b)],
  sandbox: true,
  datasetVersion: { archiveDate: '2021-03-25', publishedOn: '2021-04-09', hash: '0'.repeat(64) },
  ...change,
})

const ASK = { decision: 'ask', specialty: null, ageGroup: null } as const

describe('the rules of a read response', () => {
  it.each([
    ['yes when both name the same specialty', response({})],
    ['yes without an age group when they differ on it', response({ ageGroup: null }, { ageGroup: 'Child' })],
    ['ask when they differ', response(ASK, { specialty: 'Neurology' })],
    ['ask when a reader is unavailable', response(ASK, UNAVAILABLE)],
    [
      'ask when neither finds one',
      response({ ...ASK, readers: [reader('Reader A', { specialty: null }), reader('Reader B', { specialty: null })] }),
    ],
  ])('allow %s', (_, given) => {
    expect(decisionDifferences(given)).toEqual([])
  })

  it.each([
    ['yes though the readers differ', response({}, { specialty: 'Neurology' })],
    ['yes though a reader is unavailable', response({}, UNAVAILABLE)],
    ['ask though they agree', response(ASK)],
    ['ask with the specialty of one reader', response({ ...ASK, specialty: 'Cardiology' }, { specialty: 'Neurology' })],
    ['ask with an age group', response({ ...ASK, ageGroup: 'Adult' }, { specialty: 'Neurology' })],
    ['an age group they differ on', response({}, { ageGroup: 'Child' })],
    ['an unavailable reader that names a specialty', response(ASK, { ...UNAVAILABLE, specialty: 'Cardiology' })],
    ['an unavailable reader without a reason', response(ASK, { ...UNAVAILABLE, reason: null })],
    ['an available reader with a reason', response({}, { reason: 'no_majority' })],
  ])('refuse %s', (_, given) => {
    expect(decisionDifferences(given)).not.toEqual([])
  })
})
