// Tests what each limit counts, and for whom.
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { AttemptsStore } from '../../../../src/accounts/sign-in/attempts.store.ts'
import { createThrottle, type Throttle, type ThrottledAct } from '../../../../src/accounts/sign-in/throttle.ts'
import { makeTables } from '../../../support/unit/tables.ts'

const noon = Date.UTC(2026, 10, 20, 12)
let now = noon
let throttle: Throttle

beforeEach(async () => {
  now = noon
  await makeTables()
  const pepper = { version: 'a', bytes: new Uint8Array(32).fill(1) }
  throttle = createThrottle({ attempts: new AttemptsStore(env.DB), pepper, networkLimit: undefined, clock: () => now })
})

/** How many of so many tries are let through, each from the network that is named for it. */
async function letThrough(act: ThrottledAct, tries: number, networkOf: (n: number) => string): Promise<number> {
  let count = 0
  for (let n = 0; n < tries; n += 1) {
    const tried = { act, account: 'ann@example.org', network: networkOf(n) }
    count += await throttle.countTry(tried).then(
      () => 1,
      () => 0,
    )
  }
  return count
}

it.each([
  ['sign_in', 100],
  ['sign_up', 20],
  ['password_reset', 3],
  ['password_change', 5],
  ['founding', 20],
] as const)('%s is let through from everywhere %i times', async (act, most) => {
  expect(await letThrough(act, most + 5, (n) => `network ${n}`)).toBe(most)
})

it.each(['invited_sign_up', 'mailed_link'] as const)('nobody elsewhere can use up %s', async (act) => {
  expect(await letThrough(act, 120, (n) => `network ${n}`)).toBe(120)
})

it.each([
  ['sign_in', 5],
  ['sign_up', 5],
  ['invited_sign_up', 5],
  ['password_reset', 3],
  ['mailed_link', 60],
  ['password_change', 5],
] as const)('%s is let through from one network %i times', async (act, most) => {
  expect(await letThrough(act, most + 5, () => 'a network')).toBe(most)
})

it('what is used up for one act is not for another', async () => {
  await letThrough('sign_in', 6, () => 'a network')
  expect(await letThrough('password_reset', 1, () => 'a network')).toBe(1)
})

it('says to the second when the window is over, and lets through at that moment', async () => {
  await letThrough('sign_in', 5, () => 'a network')
  now = noon + 60_001
  const tried = { act: 'sign_in', account: 'ann@example.org', network: 'a network' } as const
  await expect(throttle.countTry(tried)).rejects.toMatchObject({ details: { retryAfterSeconds: 840 } })
  now = noon + 15 * 60_000 - 1
  await expect(throttle.countTry(tried)).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } })
  now = noon + 15 * 60_000
  await expect(throttle.countTry(tried)).resolves.toHaveLength(2)
})

it('a network that the person signs in from stays spared for 30 days, whatever others try', async () => {
  const home = { account: 'ann@example.org', network: 'home' }
  await throttle.rememberNetwork(home)
  const afterOthers = async (days: number): Promise<number> => {
    now = noon + days * 86_400_000
    await letThrough('password_reset', 3, (n) => `elsewhere ${days} ${n}`)
    return letThrough('password_reset', 1, () => 'home')
  }
  expect([await afterOthers(29), await afterOthers(31)]).toEqual([1, 0])
})
