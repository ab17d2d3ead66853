// Resets of second factors: who asks, who agrees, what the link does and when, and what ends them.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dailyUpkeep } from '../../../../src/daily-upkeep.ts'
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import type { PersonId } from '../../../../src/platform/ids.ts'
import { addMember, addPerson, beginSession } from '../../../support/unit/session.ts'
import { startService } from '../../../support/unit/service.ts'
import { codeOf, ELSEWHERE, PASSWORD, PERSON, rowsOf, statusesOf } from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** Ann, who has a passkey, in an organisation with managers. `asks(i)`: the manager in that place. */
async function practice(roles: readonly Role[] = ['owner', 'admin', 'admin'], role: Role = 'developer') {
  const organisationId = await startService().createOrganisation()
  const ann = startBrowser()
  await ann.join()
  const { authenticator } = await ann.addPasskey()
  const { id } = await (await ann.send('GET', '/me')).json<{ id: PersonId }>()
  await addMember(organisationId, id, role)
  const managers: PersonId[] = []
  for (const one of roles) {
    managers.push(await addPerson())
    await addMember(organisationId, managers.at(-1) ?? id, one)
  }
  ann.people.mails.length = 0

  const asks = async (place: number, method: string, path = '') => {
    const { token } = await beginSession(managers[place] ?? id)
    const cookie = `__Host-session=${token}`
    return ann.people.send(method, `/../members/factor-resets/${id}${path}`, { cookie })
  }

  async function agreed() {
    await asks(0, 'POST')
    const agreement = await asks(1, 'POST', '/agreement')
    if (agreement.status !== 200) throw new Error(await agreement.text())
  }

  const askForLink = (email = PERSON.email) => startBrowser(ann.people).post('/factor-reset', { email })

  /** The token of a link that was mailed a day after the agreement. */
  async function linked() {
    await agreed()
    later(DAY)
    await askForLink()
    return linkIn(ann.people)
  }

  const finish = (token: string, password = PASSWORD) =>
    startBrowser(ann.people).post('/factor-reset/confirm', { token, password })

  return { organisationId, ann, id, authenticator, managers, asks, agreed, askForLink, linked, finish }
}

type Mails = readonly { to: string; subject: string; text: string }[]

/** The token of the newest mail's link. */
const linkIn = ({ mails }: { mails: Mails }) =>
  /reset#f\.(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? 'no link was mailed'

const subjects = (mails: Mails) => mails.map(({ subject }) => subject)
const statesOf = async () => (await rowsOf('factor_resets')).map(({ state }) => state)

describe('a reset', () => {
  it('removes every factor, code and session, by two managers, a day, the link and the password', async () => {
    const { ann, id, managers, asks, askForLink, finish } = await practice()
    await ann.addApp()
    expect(await (await asks(0, 'POST')).json()).toEqual({
      id: expect.stringMatching(/^rst_/) as string,
      object: 'factor_reset',
      created_at: new Date(noon).toISOString(),
      status: 'asked',
      asked_by: managers[0],
      due_at: null,
      expires_at: new Date(noon + DAY).toISOString(),
    })
    expect(await (await asks(1, 'POST', '/agreement')).json()).toMatchObject({
      status: 'agreed',
      due_at: new Date(noon + DAY).toISOString(),
    })
    later(DAY)
    ann.people.mails.length = 0
    await askForLink()
    expect(ann.people.mails).toMatchObject([{ to: PERSON.email, subject: 'Remove your second factors' }])
    const token = linkIn(ann.people)
    expect(await (await finish(token)).json()).toMatchObject({ object: 'factor_reset', status: 'done' })
    for (const table of ['passkeys', 'totp_secrets', 'recovery_codes']) expect(await rowsOf(table)).toEqual([])
    expect((await rowsOf('sessions')).filter(({ person_id: whose }) => whose === id)).toEqual([])
    expect((await startBrowser(ann.people).logIn()).status).toBe(200)
    expect(await codeOf(await finish(token))).toBe('invalid_request')
  })

  it('is mailed to the person and all managers at each step, and is in the log', async () => {
    const { ann, managers, linked, finish } = await practice()
    const token = await linked()
    await finish(token)
    const told = (isOwn: boolean) => subjects(ann.people.mails.filter(({ to }) => (to === PERSON.email) === isOwn))
    expect(told(true)).toEqual([
      'A reset of your second factor was asked for',
      'A reset of your second factor was agreed to',
      'Remove your second factors',
      'Your second factors were removed',
    ])
    expect(told(false)).toHaveLength(3 * managers.length)
    expect(await rowsOf('pending_acts')).toEqual([])
  })

  it.each([
    ['the asker agrees', 0],
    ['the person agrees', 9],
  ])('stays as it is if %s', async (_, place) => {
    const { asks } = await practice(['owner', 'admin'], 'admin')
    await asks(0, 'POST')
    // The person has no session without a factor, so the database takes theirs away.
    if (place === 9) await env.DB.exec('UPDATE people SET second_factor_since = NULL')
    expect((await asks(place, 'POST', '/agreement')).status).toBe(409)
    expect(await statesOf()).toEqual(['asked'])
  })

  it('is agreed to once, of several at once too', async () => {
    const { asks } = await practice()
    await asks(0, 'POST')
    const answers = await Promise.all([1, 2, 1].map((place) => asks(place, 'POST', '/agreement')))
    expect(statusesOf(answers)).toEqual([200, 409, 409])
  })

  it('is asked for once, of several at once too', async () => {
    const { asks } = await practice()
    expect(statusesOf(await Promise.all([0, 1].map((place) => asks(place, 'POST'))))).toEqual([202, 409])
  })

  it('ends if nobody agrees within a day, and can be asked for again', async () => {
    const { asks } = await practice()
    await asks(0, 'POST')
    later(DAY)
    expect((await asks(1, 'POST', '/agreement')).status).toBe(404)
    expect((await asks(0, 'POST')).status).toBe(202)
  })

  it.each([
    ['without a second manager', ['owner'], 'developer'],
    ['of an owner without a second owner', ['owner', 'admin'], 'owner'],
  ] as const)('is refused %s', async (_, managers, role) => {
    const { asks } = await practice(managers, role)
    expect((await asks(0, 'POST')).status).toBe(409)
    expect(await rowsOf('factor_resets')).toEqual([])
  })

  it('is not asked for by the person', async () => {
    const { ann } = await practice(['owner', 'admin'], 'admin')
    const { id } = await (await ann.send('GET', '/me')).json<{ id: string }>()
    expect((await ann.send('POST', `/../members/factor-resets/${id}`)).status).toBe(409)
    expect(await rowsOf('factor_resets')).toEqual([])
  })

  it('of an owner is not for admins', async () => {
    const { asks } = await practice(['owner', 'owner', 'admin'], 'owner')
    expect(await codeOf(await asks(2, 'POST'))).toBe('role_required')
    await asks(0, 'POST')
    expect(await codeOf(await asks(2, 'POST', '/agreement'))).toBe('role_required')
    expect((await asks(1, 'POST', '/agreement')).status).toBe(200)
  })

  it('is refused for who has no factor, and for a member of two organisations', async () => {
    const { id, asks } = await practice()
    await addMember(await startService().createOrganisation(), id, 'developer')
    expect((await asks(0, 'POST')).status).toBe(409)
    await env.DB.exec('UPDATE people SET second_factor_since = NULL')
    expect((await asks(0, 'POST')).status).toBe(409)
    expect(await rowsOf('factor_resets')).toEqual([])
  })

  it('ends once the person joins another organisation', async () => {
    const { id, linked, finish } = await practice()
    const token = await linked()
    await addMember(await startService().createOrganisation(), id, 'developer')
    expect((await finish(token)).status).toBe(400)
  })
})

describe('the link of a reset', () => {
  it.each([
    ['before a day is over', DAY - 1, PERSON.email],
    ['to somebody else', DAY, 'bea@example.org'],
    ['after a week', 8 * DAY + 1, PERSON.email],
  ])('is not mailed %s, and the answer is the same', async (_, after, email) => {
    const { ann, agreed, askForLink } = await practice()
    await agreed()
    later(after)
    ann.people.mails.length = 0
    const answer = await askForLink(email)
    expect([answer.status, await answer.text()]).toEqual([202, '{"object":"factor_reset_link","status":"requested"}'])
    expect(answer.headers.get('server-timing')).toContain('storage;dur=0.0')
    expect(ann.people.mails).toEqual([])
  })

  it('is refused once a newer one was mailed, and after its day', async () => {
    const { ann, linked, askForLink, finish } = await practice()
    const token = await linked()
    await askForLink()
    const newer = linkIn(ann.people)
    expect((await finish(token)).status).toBe(400)
    later(DAY)
    expect((await finish(newer)).status).toBe(400)
  })

  it('stays after a wrong password, five times in a quarter of an hour', async () => {
    const { linked, finish } = await practice()
    const token = await linked()
    for (let tries = 0; tries < 5; tries += 1)
      expect(await codeOf(await finish(token, 'wrong'))).toBe('invalid_credentials')
    expect((await finish(token)).status).toBe(429)
    later(HOUR / 4)
    expect((await finish(token)).status).toBe(200)
  })

  it('of one person does nothing to another', async () => {
    const { ann, linked, finish } = await practice()
    const bea = startBrowser(ann.people)
    await bea.join({ email: 'bea@example.org', password: 'a dry evening in early june' })
    await bea.addPasskey()
    const token = await linked()
    expect(await codeOf(await finish(token, 'a dry evening in early june'))).toBe('invalid_credentials')
    await finish(token)
    expect(await rowsOf('passkeys')).toHaveLength(1)
  })

  it('is used once, of several at once too', async () => {
    const { linked, finish } = await practice()
    const token = await linked()
    expect(statusesOf(await Promise.all([finish(token), finish(token)]))).toEqual([200, 400])
  })

  it('is asked for three times a day', async () => {
    const { askForLink } = await practice()
    for (let tries = 0; tries < 3; tries += 1) expect((await askForLink('bea@example.org')).status).toBe(202)
    expect((await askForLink('bea@example.org')).status).toBe(429)
  })
})

describe('a reset is cancelled', () => {
  it('by a sign-in with a factor, and its link is worth nothing', async () => {
    const { ann, authenticator, linked, finish } = await practice()
    const token = await linked()
    const browser = startBrowser(ann.people)
    ann.people.mails.length = 0
    await browser.post('/passkeys/sign-in', { passkey: await browser.answered(authenticator, 'sign_in') })
    expect(await statesOf()).toEqual(['cancelled'])
    expect(subjects(ann.people.mails)).toContain('A reset of your second factor was cancelled')
    expect((await finish(token)).status).toBe(400)
    expect(await rowsOf('pending_acts')).toEqual([])
  })

  it('not by a wrong factor', async () => {
    const { ann, agreed } = await practice()
    await agreed()
    const browser = startBrowser(ann.people)
    await browser.logIn({}, ELSEWHERE)
    await browser.post('/login/second-factor', { recovery_code: 'ABCD' })
    expect(await statesOf()).toEqual(['agreed'])
  })

  it('by any manager, and by the person', async () => {
    const { ann, asks } = await practice()
    await asks(0, 'POST')
    expect(await (await asks(2, 'DELETE')).json()).toMatchObject({ status: 'cancelled' })
    expect((await asks(2, 'DELETE')).status).toBe(404)
    await asks(0, 'POST')
    expect((await ann.send('DELETE', '/factor-reset')).status).toBe(200)
    expect(await statesOf()).toEqual(['cancelled', 'cancelled'])
  })
})

describe('the operator', () => {
  const operate = (
    people: ReturnType<typeof startBrowser>['people'],
    id: string,
    body: object = { reason: 'lost_device' },
  ) =>
    people.send('POST', `/../operator/people/${id}/factor-reset`, {
      headers: { authorization: `Bearer ${env.OPERATOR_TOKEN}` },
      body,
    })

  it('resets a member of several organisations after three days, and tells all their managers', async () => {
    const { ann, id, askForLink, finish } = await practice(['owner'])
    const other = await startService().createOrganisation()
    await addMember(other, id, 'developer')
    await addMember(other, await addPerson(), 'admin')
    const asked = await operate(ann.people, id)
    expect([asked.status, await asked.json()]).toMatchObject([
      202,
      { status: 'agreed', due_at: new Date(noon + 3 * DAY).toISOString() },
    ])
    expect(ann.people.mails).toHaveLength(3)
    expect(await rowsOf('pending_acts')).toEqual([])
    later(3 * DAY - 1)
    await askForLink()
    expect(ann.people.mails).toHaveLength(3)
    later(1)
    await askForLink()
    const token = linkIn(ann.people)
    expect((await finish(token)).status).toBe(200)
  })

  it('is refused for an unknown person, without a factor, and while a reset is open', async () => {
    const { ann, id, managers } = await practice()
    expect((await operate(ann.people, 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11')).status).toBe(404)
    expect((await operate(ann.people, managers[0] ?? '')).status).toBe(409)
    await operate(ann.people, id)
    expect((await operate(ann.people, id)).status).toBe(409)
    expect((await operate(ann.people, id, { reason: 'a text' })).status).toBe(400)
  })
})

it('a reset that ended is deleted after thirty days', async () => {
  const { asks } = await practice()
  await asks(0, 'POST')
  await asks(0, 'DELETE')
  const upkeep = dailyUpkeep(env)['delete_old_factor_resets']
  await upkeep?.(noon + 30 * DAY - 1)
  expect(await statesOf()).toEqual(['cancelled'])
  await upkeep?.(noon + 30 * DAY)
  expect(await statesOf()).toEqual([])
})
