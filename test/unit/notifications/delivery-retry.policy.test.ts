// When a message is sent again.
import { expect, it } from 'vitest'
import { LONGEST_WAIT_MS, retryWaitMs } from '../../../src/notifications/delivery-retry.policy.ts'

const waits = (random: number): (number | null)[] =>
  Array.from({ length: 11 }, (_, index) => retryWaitMs(index + 1, random))

it('waits longer each time, for about three days in all', () => {
  const seconds = waits(0.5).map((wait) => wait && wait / 1000)
  expect(seconds).toEqual([5, 30, 120, 600, 3600, 10_800, 21_600, 43_200, 86_400, 86_400, null])
  const days = seconds.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / 86_400
  expect(days).toBeGreaterThan(2.9)
  expect(days).toBeLessThan(3)
})

it('differs by a tenth either way, and is never over the longest', () => {
  const [least, most] = [waits(0), waits(0.999999)]
  expect(least[0]).toBe(4500)
  expect(most[0]).toBe(5500)
  for (const wait of most) expect(wait ?? 0).toBeLessThanOrEqual(LONGEST_WAIT_MS)
})
