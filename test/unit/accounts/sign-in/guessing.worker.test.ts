// How often a password may be guessed, and that guessing keeps nobody else out.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ELSEWHERE, HOME, PERSON, rowsOf, startPeople, statusesOf, type PeopleService } from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const DAY = 86_400_000
const WRONG = 'a wrong and invented password'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Wrong tries from networks that nobody knows, five from each. */
async function guess(people: PeopleService, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const from = `192.0.${Math.floor(n / 5)}.1`
    expect((await people.logIn({ from, password: WRONG })).status).toBe(401)
  }
}

describe('guessing', () => {
  it('is hashed five times of twenty at once, and another network still signs in', async () => {
    const people = startPeople()
    await people.join()
    const before = people.hashed()
    const answers = await Promise.all(Array.from({ length: 20 }, () => people.logIn({ password: WRONG })))
    expect(statusesOf(answers)).toEqual([...Array<number>(5).fill(401), ...Array<number>(15).fill(429)])
    expect(people.hashed() - before).toBe(5)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('900')
    expect((await people.logIn()).status).toBe(429)
    expect((await people.logIn({ from: ELSEWHERE })).status).toBe(200)
  })

  it('is the same for an address that nobody has', async () => {
    const people = startPeople()
    const answers = []
    for (let n = 0; n < 6; n += 1) answers.push(await people.logIn({ email: 'nobody@example.org' }))
    expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('counts all addresses of a network as one', async () => {
    const people = startPeople()
    for (let n = 0; n < 5; n += 1) await people.logIn({ from: `2001:db8:1:2:${n}::1`, password: WRONG })
    expect((await people.logIn({ from: '2001:db8:1:2:ffff::9' })).status).toBe(429)
    expect((await people.logIn({ from: '2001:db8:1:3::1' })).status).toBe(401)
  })

  it('may go on when the window is over', async () => {
    const people = startPeople()
    await people.join()
    for (let n = 0; n < 6; n += 1) await people.logIn({ password: WRONG })
    vi.setSystemTime(noon + 15 * MINUTE)
    expect((await people.logIn()).status).toBe(200)
  })

  it('is not made easier by the person’s own sign-ins', async () => {
    const people = startPeople()
    await people.join()
    for (let n = 0; n < 4; n += 1) await people.logIn({ password: WRONG })
    for (let n = 0; n < 3; n += 1) expect((await people.logIn()).status).toBe(200)
    expect((await people.logIn({ password: WRONG })).status).toBe(401)
    expect((await people.logIn({ password: WRONG })).status).toBe(429)
  })

  it('from everywhere ends after a hundred tries a day, and the person still signs in where they have before', async () => {
    const people = startPeople()
    await people.join()
    await guess(people, 100)
    expect((await people.logIn({ from: ELSEWHERE })).status).toBe(429)
    expect((await people.logIn({ from: HOME })).status).toBe(200)
    vi.setSystemTime(noon + DAY)
    expect((await people.logIn({ from: ELSEWHERE })).status).toBe(200)
  })

  it('from everywhere keeps nobody out who reads the account’s mail', async () => {
    const people = startPeople()
    await people.join()
    await guess(people, 100)
    for (let n = 0; n < 5; n += 1) await people.logIn({ from: ELSEWHERE, password: WRONG })
    await people.post('/password-reset', { email: PERSON.email }, { from: ELSEWHERE })
    const password = 'another long invented password'
    const confirmed = await people.post(
      '/password-reset/confirm',
      { token: people.token(), password },
      { from: ELSEWHERE },
    )
    expect(confirmed.status).toBe(200)
    expect((await people.logIn({ from: ELSEWHERE, password })).status).toBe(200)
  })

  it.each([
    ['at any moment', 30 * MINUTE - 1],
    ['for the rest of the day', DAY / 2],
  ])('together with asking for links keeps nobody from a link that holds, %s', async (_, after) => {
    const people = startPeople()
    await people.join()
    const from = ELSEWHERE
    for (let n = 0; n < 25; n += 1) {
      await people.post('/password-reset', { email: PERSON.email }, { from: `192.0.${n}.1` })
    }
    vi.setSystemTime(noon + after)
    await people.post('/password-reset', { email: PERSON.email }, { from })
    const wanted = { token: people.token(), password: 'another long invented password' }
    expect((await people.post('/password-reset/confirm', wanted, { from })).status).toBe(200)
  })

  it('asks the platform’s own limit of the network first', async () => {
    const asked: string[] = []
    const limit = ({ key }: { key: string }) => {
      asked.push(key)
      return Promise.resolve({ success: asked.length <= 1 })
    }
    const people = startPeople({ SIGN_IN_SIEVE: { limit } })
    expect((await people.logIn()).status).toBe(401)
    const refused = await people.logIn({ email: 'another@example.org' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(people.hashed()).toBe(1)
    expect(asked.join()).not.toContain('203.0.113')
  })

  it('leaves neither addresses nor networks in the database', async () => {
    const people = startPeople()
    await people.logIn()
    const attempts = JSON.stringify(await rowsOf('attempts'))
    expect(attempts).toContain('subject')
    expect(attempts).not.toMatch(/ann|203\.0\.113/)
  })

  it('is not helped by a measured time in the answer', async () => {
    const people = startPeople()
    await people.join()
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 7))
    const answers = [
      await people.logIn({ password: WRONG }),
      await people.signUp(),
      await people.post('/password-reset', { email: PERSON.email }),
    ]
    for (const answer of answers) expect(answer.headers.get('server-timing')).not.toMatch(/[1-9]/)
  })
})
