// Idempotency-Key on what makes a key: a request that is sent again makes no second one, and shows no secret.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundManaged, idsOf, makeKey, type Answer, type Asker } from './asking-for-keys.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const DAY_MS = 86_400_000
const body = { name: 'A key', scopes: ['chat'] }

const claim = (asker: Asker, key = 'one', wanted: object = body): Promise<Answer> =>
  asker.ask('POST', '', wanted, { 'idempotency-key': key })

const codeOf = ({ status, body: { error } }: Answer) => [status, error.code]

describe('a request that is repeated', () => {
  it('makes one key, however many come at once', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim(owner)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
    expect(await idsOf(owner)).toHaveLength(1)
  })

  it('is the same one in other words', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    await claim(owner)
    const same = { scopes: ['chat', 'chat'], name: ' A key ', prefix: 'aqta_' }
    expect(codeOf(await claim(owner, 'one', same))).toEqual([409, 'conflict'])
  })

  it.each<object>([
    { name: 'Another' },
    { requests_per_day: 1 },
    { data_region: 'eu' },
    { prefix: 'sk-aqta-' },
    { scopes: ['manage'] },
  ])('is another one with %o', async (more) => {
    const owner = await (await foundManaged()).signIn('owner')
    await claim(owner)
    expect(codeOf(await claim(owner, 'one', { ...body, ...more }))).toEqual([409, 'idempotency_conflict'])
    expect(await idsOf(owner)).toHaveLength(1)
  })

  it('after a day is run, and before it is not', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const automation = await (await foundManaged()).automate()
    for (const asker of [owner, automation]) {
      vi.setSystemTime(noon)
      await claim(asker)
      vi.setSystemTime(noon + DAY_MS - 60_000)
      if (asker === automation) expect((await claim(asker)).status).toBe(409)
      vi.setSystemTime(noon + DAY_MS)
      if (asker === automation) expect((await claim(asker)).status).toBe(201)
    }
  })

  it('is run where the first was refused: that claimed nothing', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    expect((await claim(owner, 'one', { ...body, requests_per_minute: 5000 })).status).toBe(400)
    expect((await claim(owner)).status).toBe(201)
  })
})

describe('the same idempotency-key', () => {
  it('is another for each person, key and route', async () => {
    const { signIn, automate } = await foundManaged()
    const [owner, admin, automation] = [await signIn('owner'), await signIn('admin'), await automate()]
    const { id } = await makeKey(owner)
    const statuses = []
    for (const asker of [owner, admin, automation]) statuses.push((await claim(asker)).status)
    statuses.push((await owner.ask('POST', `/${id}/rotate`, {}, { 'idempotency-key': 'one' })).status)
    expect(statuses).toEqual([201, 201, 201, 201])
  })

  it('tells a rotation that is repeated from that of another key, and from one that was made without it', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const [first, second] = [await makeKey(owner), await makeKey(owner)]
    const rotate = (id: string, key: string, seconds = 60) =>
      owner.ask('POST', `/${id}/rotate`, { overlap_seconds: seconds }, { 'idempotency-key': key })
    const made = await rotate(first.id, 'one')
    const again = await rotate(first.id, 'one')
    expect(codeOf(again)).toEqual([409, 'conflict'])
    expect(again.body.error).toMatchObject({ param: 'idempotency-key' })
    expect(again.body.error.message).toContain(made.body.id)
    // The message advises this for a lost answer.
    expect(again.body.error.message).toContain(`POST /api/keys/${made.body.id}/rotate`)
    expect((await rotate(made.body.id, 'three', 0)).status).toBe(201)
    expect(codeOf(await rotate(first.id, 'one', 61))).toEqual([409, 'idempotency_conflict'])
    expect(codeOf(await rotate(second.id, 'one'))).toEqual([409, 'idempotency_conflict'])
    expect(codeOf(await rotate(first.id, 'two'))).toEqual([409, 'conflict'])
    expect((await rotate(second.id, 'two')).status).toBe(201)
  })

  it('tells a rotation that revokes what the key made from one that does not', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner)
    const rotate = (wanted: object) => owner.ask('POST', `/${id}/rotate`, wanted, { 'idempotency-key': 'one' })
    expect((await rotate({})).status).toBe(201)
    expect(codeOf(await rotate({ revoke_made: false }))).toEqual([409, 'conflict'])
    expect(codeOf(await rotate({ revoke_made: true }))).toEqual([409, 'idempotency_conflict'])
  })

  it.each(['', 'x'.repeat(256), 'é'])('is refused as %j, and nothing is made', async (key) => {
    const owner = await (await foundManaged()).signIn('owner')
    const refused = await claim(owner, key)
    expect([refused.status, refused.body.error]).toMatchObject([400, { param: 'idempotency-key' }])
    expect(await idsOf(owner)).toEqual([])
  })
})

describe('what is kept of it', () => {
  it('is no text of its caller, and goes in the upkeep after a day', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    await claim(owner, 'marked-key', { ...body, name: 'marked-name' })
    const kept = 'SELECT claimant, route, hex(key_hash) AS k, hex(body_hash) AS b, made FROM idempotency_claims'
    const rows = await organisation.query(kept)
    expect(rows).toMatchObject([{ claimant: owner.id, route: 'createKey' }])
    expect(JSON.stringify(rows)).not.toContain('marked')
    vi.setSystemTime(noon + DAY_MS - 1)
    await organisation.runAlarm()
    expect(await organisation.query(kept)).toHaveLength(1)
    vi.setSystemTime(noon + 2 * DAY_MS)
    await organisation.runAlarm()
    expect(await organisation.query(kept)).toEqual([])
  })
})
