// An organisation requires a second factor of its members: who may set that, and what it closes.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ORGANISATION_HEADER } from '../../../../src/accounts/access/access-control.ts'
import { createRequirementMails } from '../../../../src/management/settings/requirement-mails.ts'
import { reminderDue } from '../../../../src/policies/second-factor.policy.ts'
import { OrganisationsStore } from '../../../../src/accounts/organisations.store.ts'
import { MembersStore } from '../../../../src/accounts/members/members.store.ts'
import { MemberFactsStore } from '../../../../src/management/compliance/member-facts.store.ts'
import type { OrganisationId } from '../../../../src/platform/ids.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { addMember } from '../../../support/unit/session.ts'
import { startService } from '../../../support/unit/service.ts'
import { codeOf, PERSON, rowsOf } from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

type Browser = ReturnType<typeof startBrowser>

const noon = Date.UTC(2026, 10, 20, 12)
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
const iso = (ms: number) => new Date(ms).toISOString()

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** Paths of a browser begin at /api/auth. */
const SETTINGS = '/../settings'

async function owner() {
  const browser = startBrowser()
  await browser.join({ organisation: { name: 'A practice', enabled_providers: ['openai'] } })
  const [organisation] = await rowsOf('organisations')
  return { browser, organisation: String(organisation?.['id']) }
}

const set = (browser: Browser, change: object) => browser.send('PATCH', SETTINGS, change)

async function refusalOf(answer: Promise<Response>) {
  const response = await answer
  const { error } = await response.json<{ error?: Record<string, unknown> }>()
  return error && { status: response.status, ...error }
}

const cookieOf = ({ jar }: Browser): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

/** Another person of the organisation, in their own browser. */
async function member(of: Awaited<ReturnType<typeof owner>>, role: string) {
  const browser = startBrowser(of.browser.people)
  await browser.join({ email: `${role}@example.org` })
  const { id } = await (await browser.send('GET', '/me')).json<{ id: `usr_${string}` }>()
  await addMember(of.organisation, id, role)
  return { browser, id }
}

/** An owner with an app, whose organisation requires a second factor at once. */
async function requiring(required = 'any') {
  const founded = await owner()
  const passkey = required === 'any' ? null : await founded.browser.addPasskey()
  const app = await founded.browser.addApp()
  const answer = await set(founded.browser, { second_factor: required, second_factor_from: iso(noon) })
  if (answer.status !== 200) throw new Error(await answer.text())
  return { ...founded, passkey, app }
}

describe('the requirement', () => {
  it('is turned on in seven days, is in the log, and is mailed to those who have none', async () => {
    const founded = await owner()
    const developer = await member(founded, 'developer')
    await founded.browser.addApp()
    founded.browser.people.mails.length = 0
    const shown = await (await set(founded.browser, { second_factor: 'any' })).json()
    expect(shown).toMatchObject({ second_factor: 'any', second_factor_from: iso(noon + 7 * DAY_MS) })
    expect(founded.browser.people.mails).toMatchObject([
      {
        to: 'developer@example.org',
        subject: 'Set up a second factor',
        text: expect.stringContaining(iso(noon + 7 * DAY_MS)) as string,
      },
    ])
    expect((await developer.browser.send('GET', SETTINGS)).status).toBe(200)
    later(7 * DAY_MS)
    await developer.browser.logIn({ email: 'developer@example.org' })
    expect(await refusalOf(developer.browser.send('GET', SETTINGS))).toMatchObject({
      status: 401,
      code: 'second_factor_required',
      methods: [],
      organisation_id: founded.organisation,
      message: expect.stringContaining('Set one up') as string,
    })
  })

  it('is mailed again to those who still have none, three days before and one, once each', async () => {
    const founded = await owner()
    const [, clinician] = [await member(founded, 'developer'), await member(founded, 'clinician')]
    await founded.browser.addApp()
    await set(founded.browser, { second_factor: 'any' })
    const { mails } = founded.browser.people
    const reminders = createRequirementMails({
      organisations: new OrganisationsStore(env.DB),
      members: new MembersStore(env.DB, []),
      mailer: { sends: true, send: async (mail) => (mails.push(mail), 'sent') },
    })
    const mailedAfter = async (days: number): Promise<string[]> => {
      mails.length = 0
      const now = noon + days * DAY_MS
      await Promise.all([reminders.remindDue('https://a.example', now), reminders.remindDue('https://a.example', now)])
      return mails.map(({ to }) => to).toSorted()
    }
    expect(await mailedAfter(3.9)).toEqual([])
    expect(await mailedAfter(4)).toEqual(['clinician@example.org', 'developer@example.org'])
    await clinician.browser.addApp()
    expect(await mailedAfter(5)).toEqual([])
    expect(await mailedAfter(6.5)).toEqual(['developer@example.org'])
    expect(await mailedAfter(6.9)).toEqual([])
    expect(await mailedAfter(7)).toEqual([])
  })

  it('is not mailed again where it begins sooner than that, is off, or the organisation is being erased', async () => {
    const founded = await owner()
    await founded.browser.addApp()
    await set(founded.browser, { second_factor: 'any', second_factor_from: iso(noon + 2 * DAY_MS) })
    const store = new OrganisationsStore(env.DB)
    expect((await store.listRequiring(noon)).map((one) => reminderDue(one, noon))).toEqual([noon - DAY_MS])
    expect(await store.noteReminder(founded.organisation as OrganisationId, noon - DAY_MS, noon)).toBe(false)
    const erasing = env.DB.prepare(
      "INSERT INTO erasures VALUES ('era_1', ?, 'eu', 'operator', 1, 1, 'running', NULL)",
    ).bind(founded.organisation)
    await erasing.run()
    expect(await store.listRequiring(noon)).toEqual([])
    await env.DB.prepare('DELETE FROM erasures').run()
    await set(founded.browser, { second_factor: 'off' })
    expect(await store.listRequiring(noon)).toEqual([])
  })

  it('is not set by who does not meet it, or for a day too late', async () => {
    const { browser } = await owner()
    expect(await refusalOf(set(browser, { second_factor: 'any' }))).toMatchObject({ status: 409, code: 'conflict' })
    await browser.addApp()
    const passkeys = set(browser, { second_factor: 'phishing_resistant' })
    expect(await refusalOf(passkeys)).toMatchObject({ status: 409, param: 'second_factor' })
    const late = set(browser, { second_factor: 'any', second_factor_from: iso(noon + 31 * DAY_MS) })
    expect(await refusalOf(late)).toMatchObject({ status: 400, param: 'second_factor_from' })
  })

  it('is set with a fresh proof, and never by a key', async () => {
    const { browser, organisation } = await owner()
    await browser.addApp()
    const { key } = await startService().createKey({ prefix: 'aqta_', scopes: ['manage'] }, organisation)
    const byKey = (change: object) =>
      browser.people.send('PATCH', SETTINGS, { headers: { authorization: `Bearer ${key}` }, body: change })
    expect(await refusalOf(byKey({ second_factor: 'any' }))).toMatchObject({ status: 403, code: 'role_required' })
    expect((await byKey({ second_factor: 'off', loop_repeats: 3 })).status).toBe(200)
    later(15 * MINUTE_MS)
    expect(await codeOf(await set(browser, { second_factor: 'any' }))).toBe('fresh_sign_in_required')
  })

  it('is weakened by an owner alone, and owners and admins are mailed', async () => {
    const founded = await requiring()
    const admin = await member(founded, 'admin')
    await admin.browser.addApp()
    const weaker = { second_factor: 'off' }
    expect(await refusalOf(set(admin.browser, weaker))).toMatchObject({ status: 403, code: 'role_required' })
    const postponed = { second_factor_from: iso(noon + DAY_MS) }
    expect(await codeOf(await set(admin.browser, postponed))).toBe('role_required')
    founded.browser.people.mails.length = 0
    const ended = await (await set(founded.browser, weaker)).json()
    expect(ended).toMatchObject({ second_factor: 'off', second_factor_from: null })
    const told = founded.browser.people.mails.map(({ to, subject }) => `${to}: ${subject}`)
    const subject = 'A second factor is required less strictly'
    expect(told.toSorted()).toEqual([`admin@example.org: ${subject}`, `${PERSON.email}: ${subject}`])
  })
})

describe('what it closes', () => {
  it('is all of the organisation for a proof of more than 24 hours ago, until it is confirmed', async () => {
    const { browser, app } = await requiring()
    // In use, so that the session does not end.
    later(DAY_MS / 2)
    await browser.send('GET', '/me')
    later(DAY_MS / 2)
    expect((await browser.send('GET', SETTINGS)).status).toBe(200)
    later(1)
    expect(await refusalOf(browser.send('GET', SETTINGS))).toMatchObject({
      code: 'second_factor_required',
      methods: ['totp'],
      message: expect.stringContaining('/api/auth/confirm') as string,
    })
    const me = await (await browser.send('GET', '/me')).json()
    expect(me).toMatchObject({ organisations: [{ second_factor: { required: 'any', from: iso(noon), met: false } }] })
    expect((await browser.post('/confirm', { totp: app.code() })).status).toBe(200)
    expect((await browser.send('GET', SETTINGS)).status).toBe(200)
  })

  it('is closed to an app where a passkey is required', async () => {
    const founded = await requiring('phishing_resistant')
    const admin = await member(founded, 'admin')
    await admin.browser.addApp()
    expect(await refusalOf(admin.browser.send('GET', SETTINGS))).toMatchObject({
      code: 'second_factor_required',
      methods: [],
    })
    await admin.browser.addPasskey()
    expect((await admin.browser.send('GET', SETTINGS)).status).toBe(200)
  })

  it('is nothing to a key, to the person’s own data, or to who leaves', async () => {
    const founded = await requiring()
    const { browser, id } = await member(founded, 'admin')
    const { key } = await startService().createKey({ prefix: 'aqta_', scopes: ['manage'] }, founded.organisation)
    const asked = await browser.people.send('GET', SETTINGS, {
      headers: { authorization: `Bearer ${key}`, origin: '' },
    })
    expect(asked.status).toBe(200)
    for (const path of ['/me', '/factors', '/sessions']) {
      expect([path, (await browser.send('GET', path)).status]).toEqual([path, 200])
    }
    const headers = { cookie: cookieOf(browser) }
    const own = await startService().fetch('/api/settings/export?section=account', { headers })
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('admin@example.org') as string])
    const other = (await rowsOf('members')).find((row) => row['person_id'] !== id)
    for (const [method, path] of [
      ['GET', '/../settings/export'],
      ['GET', '/../notices'],
      ['DELETE', `/../members/${String(other?.['person_id'])}`],
    ] as const) {
      expect([path, await codeOf(await browser.send(method, path))]).toEqual([path, 'second_factor_required'])
    }
    expect((await browser.send('DELETE', `/../members/${id}`)).status).toBe(200)
  })

  it('is the organisation that requires it, and no other of the person', async () => {
    const founded = await requiring()
    const { browser, id } = await member(founded, 'developer')
    const free = await startService().createOrganisation()
    await addMember(free, id, 'developer')
    const cookie = cookieOf(browser)
    const statuses = [free, founded.organisation].map(async (organisation) => {
      const headers = { [ORGANISATION_HEADER]: organisation }
      return (await browser.people.send('GET', SETTINGS, { cookie, headers })).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 401])
  })
})

describe('members', () => {
  it('are listed with their strongest second factor, and by it', async () => {
    const founded = await requiring()
    const developer = await member(founded, 'developer')
    const auditor = await member(founded, 'auditor')
    await auditor.browser.addApp()
    await auditor.browser.addPasskey()
    const list = async (query: string) => {
      const response = await founded.browser.send('GET', `/../members${query}`)
      const { data } = await response.json<{ data: { role: string; second_factor: string }[] }>()
      return data.map(({ role, second_factor: factor }) => `${role}: ${factor}`).toSorted()
    }
    expect(await list('')).toEqual(['auditor: passkey', 'developer: none', 'owner: totp'])
    expect(await list('?second_factor=none')).toEqual(['developer: none'])
    const one = await founded.browser.send('GET', `/../members/${developer.id}`)
    expect(await one.json()).toMatchObject({ second_factor: 'none' })
  })
})

describe('what an attack found', () => {
  it('is not postponed by an admin through the gap between two clocks', async () => {
    const founded = await requiring()
    const admin = await member(founded, 'admin')
    await admin.browser.addApp()
    const base = Date.now()
    const statuses: number[] = []
    for (let d = 0; d < 60; d++) {
      let n = 0
      const ticking = vi.spyOn(Date, 'now').mockImplementation(() => base + n++)
      statuses.push((await set(admin.browser, { second_factor_from: iso(base + 30 * DAY_MS + d) })).status)
      ticking.mockRestore()
      if (statuses.includes(200)) break
    }
    expect(statuses).not.toContain(200)
  })

  it('offers no code for confirming where a passkey is required, since that would take it from the session', async () => {
    const { browser } = await requiring('phishing_resistant')
    later(16 * MINUTE_MS)
    expect(await refusalOf(set(browser, { loop_repeats: 4 }))).toMatchObject({
      code: 'fresh_sign_in_required',
      methods: ['passkey'],
    })
  })

  it('is met by no passkey that was removed', async () => {
    const { browser } = await owner()
    const { id } = await browser.addPasskey()
    await browser.send('DELETE', `/factors/${id}`)
    const on = await set(browser, { second_factor: 'phishing_resistant', second_factor_from: iso(noon) })
    expect(on.status).toBe(409)
  })

  it('cancels a reset of who shows a factor in a session', async () => {
    const founded = await owner()
    await founded.browser.addApp()
    const ann = await member(founded, 'developer')
    const { authenticator } = await ann.browser.addPasskey()
    const second = await member(founded, 'admin')
    await founded.browser.send('POST', `/../members/factor-resets/${ann.id}`)
    await second.browser.send('POST', `/../members/factor-resets/${ann.id}/agreement`)
    await ann.browser.post('/confirm', { passkey: await ann.browser.answered(authenticator, 'confirm') })
    expect((await rowsOf('factor_resets')).map(({ state }) => state)).toEqual(['cancelled'])
  })
})

describe('a member who signs in by an identity provider alone', () => {
  const VOUCHES = ['clinic']

  async function byProvider(providers: readonly string[]) {
    const founded = await requiring()
    const { browser, id } = await member(founded, 'developer')
    const statements = providers.map((provider) =>
      env.DB.prepare(
        "INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at) VALUES (?1, 'one', ?2, ?1, 'a@b.example', 1)",
      ).bind(provider, id),
    )
    const forgetting = env.DB.prepare('UPDATE people SET password = NULL WHERE id = ?').bind(id)
    await env.DB.batch([forgetting, ...statements])
    const organisation = founded.organisation as OrganisationId
    const factors = new MemberFactsStore(env.DB, VOUCHES).listFactors(organisation, Date.now())
    const found = await new MembersStore(env.DB, VOUCHES).find(organisation, id)
    const factor = (await factors).find((one) => one.id === id)?.factor
    expect(found?.secondFactor).toBe(factor)
    return { browser, id, factor }
  }

  it.each([
    [['clinic'], 'provider'],
    [['clinic', 'another'], 'none'],
    [['another'], 'none'],
    [[], 'none'],
  ])('of %j has %s as second factor', async (providers, expected) => {
    expect((await byProvider(providers)).factor).toBe(expected)
  })

  it('has their own before it, and none while a password opens the account', async () => {
    const { browser, id } = await byProvider(VOUCHES)
    const store = new MembersStore(env.DB, VOUCHES)
    const [row] = await rowsOf('organisations')
    const factor = async () => (await store.find(row?.['id'] as OrganisationId, id))?.secondFactor
    await env.DB.prepare("UPDATE people SET password = 'a' WHERE id = ?").bind(id).run()
    expect(await factor()).toBe('none')
    await browser.addApp()
    expect(await factor()).toBe('totp')
  })

  it.each([
    ['provider', 'any', 'aal2', 0, undefined],
    ['provider', 'any', 'aal2', DAY_MS, ['provider']],
    ['provider', 'phishing_resistant', 'aal2', 0, []],
    ['provider', 'phishing_resistant', 'phr', DAY_MS, ['provider']],
    [null, 'any', null, 0, []],
  ])('is led back there where it can help (%s, %s, %s, %d)', async (factor, required, acr, age, methods) => {
    const founded = await requiring(required)
    const { browser, id } = await member(founded, 'developer')
    await env.DB.batch([
      env.DB.prepare('UPDATE people SET password = NULL WHERE id = ?').bind(id),
      env.DB.prepare(
        'UPDATE sessions SET second_factor = ?, second_factor_at = ?, vouched_acr = ? WHERE person_id = ?',
      ).bind(factor, factor && Date.now() - age - 1, acr, id),
    ])
    const refusal = await refusalOf(browser.send('GET', SETTINGS))
    expect(refusal && Object.entries(refusal).find(([name]) => name === 'methods')?.[1]).toEqual(methods)
  })
})
