// The last calls, where one look at the log does not find them.
import { expect, it } from 'vitest'
import { readRecentCalls } from '../../../../src/management/calls/recent-calls.ts'
import {
  NO_TRAIL_FILTER,
  type TrailCall,
  type TrailPage,
  type TrailQuery,
} from '../../../../src/organisation/audit/audit-trail.ts'

const QUERY: TrailQuery = { days: { first: 1, last: 7 }, filter: NO_TRAIL_FILTER, before: null, limit: 3 }
const CALL = {} as TrailCall

/** Reads looks one after the other: how many calls each has, and whether it is the last. */
function looksOf(found: readonly number[], isWhole = true) {
  const asked: [before: number | null, limit: number][] = []
  const readPage = ({ before, limit }: TrailQuery): Promise<TrailPage> => {
    const look = asked.push([before, limit]) - 1
    const calls = Array.from({ length: Math.min(found[look] ?? 0, limit) }, () => CALL)
    const isLast = isWhole && look === found.length - 1
    return Promise.resolve({ calls, unreadable: 1, next: isLast ? null : 100 - look })
  }
  return { asked, readPage }
}

it('goes on where a look was short, until it has enough', async () => {
  const { asked, readPage } = looksOf([0, 2, 9, 9])
  expect(await readRecentCalls(readPage, QUERY)).toEqual({ calls: [CALL, CALL, CALL], unreadable: 3, next: null })
  expect(asked).toEqual([
    [null, 3],
    [100, 3],
    [99, 1],
  ])
})

it('ends where there is no more, and says so where it looked far enough', async () => {
  const whole = looksOf([1, 1])
  expect(await readRecentCalls(whole.readPage, QUERY)).toEqual({ calls: [CALL, CALL], unreadable: 2, next: null })
  const endless = looksOf([1], false)
  expect(await readRecentCalls(endless.readPage, QUERY)).toMatchObject({ calls: [CALL], next: 91 })
  expect(endless.asked).toHaveLength(10)
})
