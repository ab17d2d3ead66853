// Sessions in D1: what holds, for how long, and what ends it.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { PeopleStore } from '../../../../src/accounts/people/people.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { newId, type PersonId } from '../../../../src/platform/ids.ts'
import { addPerson, beginSession } from '../../../support/unit/session.ts'
import { makeTables } from '../../../support/unit/tables.ts'

const NOW = Date.UTC(2026, 10, 20)
const sessions = new SessionsStore(env.DB)
let personId: PersonId

const begin = (now = NOW, presented: string | null = null) => beginSession(personId, now, presented)

beforeEach(async () => {
  await makeTables()
  personId = await addPerson({ email: 'someone@example.org' })
})

describe('a session', () => {
  it('is found by its token, and by nothing that the database holds', async () => {
    const { token, session } = await begin()
    expect(await sessions.findByToken(token, NOW)).toEqual(session)
    const row = await env.DB.prepare('SELECT token_hash, id FROM sessions').first<{
      token_hash: number[]
      id: string
    }>()
    const stored = new Uint8Array(row?.token_hash ?? [])
    expect(stored.byteLength).toBe(32)
    const asText = [stored.toHex(), stored.toBase64({ alphabet: 'base64url', omitPadding: true }), row?.id ?? '']
    for (const text of asText) expect(await sessions.findByToken(text, NOW)).toBeNull()
    expect(JSON.stringify(asText)).not.toContain(token)
  })

  it.each([
    ['a day without use', DAY_MS, null],
    ['seven days, however busy', 7 * DAY_MS, 6.9 * DAY_MS],
  ])('is over after %s', async (_, age, seenAt) => {
    const { token, session } = await begin()
    if (seenAt !== null) await sessions.touch(session, NOW + seenAt)
    expect(await sessions.findByToken(token, NOW + age - 1)).not.toBeNull()
    expect(await sessions.findByToken(token, NOW + age)).toBeNull()
  })

  it('notes that it was used at most once an hour', async () => {
    const { token, session } = await begin()
    await sessions.touch(session, NOW + 59 * MINUTE_MS)
    expect(await sessions.findByToken(token, NOW)).toMatchObject({ seenAt: NOW })
    await sessions.touch(session, NOW + 60 * MINUTE_MS)
    expect(await sessions.findByToken(token, NOW)).toMatchObject({ seenAt: NOW + 60 * MINUTE_MS })
  })

  it('ends when another begins in its place', async () => {
    const { token } = await begin()
    const { token: later } = await begin(NOW, token)
    expect(await sessions.findByToken(token, NOW)).toBeNull()
    expect(await sessions.findByToken(later, NOW)).not.toBeNull()
  })

  it('does not begin for somebody who is not there any more, and then ends none', async () => {
    const { token } = await begin()
    const who = { personId: newId('usr_', NOW), method: 'clinic' }
    expect(await sessions.begin(who, token, NOW)).toBeNull()
    expect(await sessions.findByToken(token, NOW)).not.toBeNull()
  })
})

describe('ending sessions', () => {
  it('ends those of one person only, but for the one that is to stay', async () => {
    const [first, second] = [await begin(), await begin(NOW + 1)]
    const other = await beginSession(await addPerson(), NOW)
    await sessions.endAll(personId, second.session.id)
    expect(await sessions.findByToken(first.token, NOW)).toBeNull()
    expect((await sessions.list(personId, NOW)).map(({ id }) => id)).toEqual([second.session.id])
    await sessions.endAll(personId, null)
    expect(await sessions.list(personId, NOW)).toEqual([])
    expect(await sessions.findByToken(other.token, NOW)).not.toBeNull()
  })

  it('ends no session of somebody else', async () => {
    const { session, token } = await begin()
    expect(await sessions.end(await addPerson(), session.id)).toBe(false)
    expect(await sessions.findByToken(token, NOW)).not.toBeNull()
    expect(await sessions.end(personId, session.id)).toBe(true)
    expect(await sessions.end(personId, session.id)).toBe(false)
  })
})

describe('people', () => {
  it.each(['SOMEONE@example.org', 'someone@EXAMPLE.ORG', 'ｓomeone@example.org'])(
    'have one account an address, however it is written: %s',
    async (email) => {
      const people = new PeopleStore(env.DB)
      expect(await people.findByEmail(email)).toMatchObject({ id: personId })
      const second = await addPerson({ email })
      expect(await people.find(second)).toBeNull()
    },
  )
})
