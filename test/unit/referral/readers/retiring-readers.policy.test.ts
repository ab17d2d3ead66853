// Which readers' models the operator is told about, and when.
import { describe, expect, it } from 'vitest'
import { findOldPromises, findRetiringReaders } from '../../../../src/referral/readers/readers-upkeep.policy.ts'
import { bedrockModel, modelNamed } from '../../../fixtures/providers/models.ts'

const READERS = [modelNamed('gpt-4.1-mini'), modelNamed('gemini-3.6-flash')]
const told = (at: string) =>
  findRetiringReaders(READERS, Date.parse(at)).map(({ model, retiresOn, daysLeft }) => [model.id, retiresOn, daysLeft])

describe('a reader’s model that retires', () => {
  it.each([
    ['2026-11-15T00:00:00Z', 60],
    ['2026-11-25T03:23:00Z', 50],
    ['2027-01-13T03:23:00Z', 1],
    ['2027-01-14T03:23:00Z', 0],
    ['2027-01-15T03:23:00Z', -1],
  ])('is told at %s, %i days before', (at, days) => expect(told(at)).toEqual([['gpt-4.1-mini', '2027-01-14', days]]))

  it.each(['2026-11-14T23:59:59Z', '2026-10-14'])('is not told yet at %s', (at) => expect(told(at)).toEqual([]))

  it('is none without a day', () => {
    expect(findRetiringReaders([modelNamed('claude-haiku-4-5')], Date.parse('2030-01-01'))).toEqual([])
  })
})

describe('a promise about a reader’s route', () => {
  const haiku = bedrockModel('claude-haiku-5-5')
  const promise = haiku.promise && { ...haiku.promise, readOn: '2026-11-27' }

  it.each([
    ['2027-02-25T23:59:59Z', []],
    ['2027-02-26T00:00:00Z', [91]],
  ])('is told at %s, after 90 days', (at, days) => {
    const routes = [{ ...haiku, promise }, modelNamed('gemini-3.6-flash')]
    expect(findOldPromises(routes, Date.parse(at)).map((one) => one.days)).toEqual(days)
  })
})
