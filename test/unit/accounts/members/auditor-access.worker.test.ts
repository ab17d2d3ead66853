// The access of an auditor ends: who sets the end, what it takes away at that moment, and what the log says.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MembersStore } from '../../../../src/accounts/members/members.store.ts'
import { newPendingAct } from '../../../../src/accounts/members/pending-acts.store.ts'
import { ProfilesStore } from '../../../../src/accounts/people/profiles.store.ts'
import { MemberFactsStore } from '../../../../src/management/compliance/member-facts.store.ts'
import { addMember } from '../../../support/unit/session.ts'
import { foundOrganisation, tokenOf } from './people-of-organisation.ts'

const INVITATIONS = '/api/members/invitations'
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 26, 12)
const iso = (time: number): string => new Date(time).toISOString()
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => vi.useRealTimers())

/** An organisation with an owner, and an auditor whose access ends in an hour. */
async function withAuditor() {
  const organisation = await foundOrganisation()
  const owner = await organisation.addPerson('owner')
  const auditor = await organisation.addPerson('auditor')
  const path = `/api/members/${auditor.id}`
  const changed = await owner.ask('PATCH', path, { ends_at: iso(NOW + HOUR_MS) })
  expect(changed).toMatchObject({ status: 200, body: { ends_at: iso(NOW + HOUR_MS), status: 'active' } })
  return { organisation, owner, auditor, path }
}

describe('an auditor whose end has come', () => {
  it('is refused from that moment on, and told when it ended and what to do', async () => {
    const { auditor, organisation } = await withAuditor()
    vi.setSystemTime(NOW + HOUR_MS - 1)
    expect(await auditor.ask('GET', '/api/keys')).toMatchObject({ status: 200 })
    vi.setSystemTime(NOW + HOUR_MS)
    const named = { 'x-aqta-organisation': organisation.organisationId }
    for (const headers of [{}, named]) {
      const answer = await auditor.ask('GET', '/api/keys', undefined, headers)
      expect(answer).toMatchObject(refused(404, 'not_found'))
      const message = `Your access as an auditor ended on ${iso(NOW + HOUR_MS)}. Ask an owner to extend it.`
      expect(answer.body['error']).toMatchObject({ message })
    }
  })

  it('still works in another organisation, without naming it', async () => {
    const { auditor, organisation } = await withAuditor()
    const elsewhere = await foundOrganisation()
    await addMember(elsewhere.organisationId, auditor.id, 'developer')
    expect(await auditor.ask('GET', '/api/keys')).toMatchObject(refused(400, 'missing_parameter'))
    vi.setSystemTime(NOW + HOUR_MS)
    expect(await auditor.ask('GET', '/api/keys')).toMatchObject({ status: 200 })
    const profile = await new ProfilesStore(env.DB).find(auditor.id, Date.now())
    expect(profile?.organisations.map(({ id }) => id)).toEqual([elsewhere.organisationId])
    const ended = { id: organisation.organisationId, endsAt: NOW + HOUR_MS }
    expect(profile?.endedAccess).toEqual([expect.objectContaining(ended)])
  })

  it('is listed as ended, and not counted by the checklist', async () => {
    const { organisation, owner, auditor } = await withAuditor()
    const facts = new MemberFactsStore(env.DB, [])
    const count = async () => (await facts.listFactors(organisation.organisationId, Date.now())).length
    expect(await count()).toBe(2)
    vi.setSystemTime(NOW + HOUR_MS)
    expect(await count()).toBe(1)
    const { body } = await owner.ask('GET', '/api/members')
    expect(body['data']).toEqual(expect.arrayContaining([expect.objectContaining({ id: auditor.id, status: 'ended' })]))
  })

  it('has access again once it is extended, and the log has both ends', async () => {
    const { organisation, auditor, path } = await withAuditor()
    vi.setSystemTime(NOW + 2 * HOUR_MS)
    const ends_at = iso(NOW + 30 * DAY_MS)
    const owner = await organisation.addPerson('owner')
    expect(await owner.ask('PATCH', path, { ends_at })).toMatchObject({ body: { ends_at, status: 'active' } })
    expect(await auditor.ask('GET', '/api/keys')).toMatchObject({ status: 200 })
    const [, extension] = await organisation.acts()
    expect(extension).toMatchObject({ act: 'member.access_end', actor: owner.id, member_id: auditor.id, ends_at })
    expect(extension).toMatchObject({ previous_ends_at: iso(NOW + HOUR_MS) })
  })
})

describe('the end', () => {
  it('begins with the role and goes with it', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const { id } = await organisation.addPerson('developer')
    const ends_at = iso(NOW + 90 * DAY_MS)
    const path = `/api/members/${id}`
    expect(await owner.ask('PATCH', path, { role: 'auditor' })).toMatchObject({ body: { ends_at } })
    // The role that somebody has already changes nothing.
    vi.setSystemTime(NOW + HOUR_MS)
    const later = await organisation.addPerson('owner')
    expect(await later.ask('PATCH', path, { role: 'auditor' })).toMatchObject({ body: { ends_at } })
    expect(await later.ask('PATCH', path, { role: 'clinician' })).toMatchObject({ body: { ends_at: null } })
    const acts = await organisation.acts()
    expect(acts).toMatchObject([{ act: 'member.role', ends_at }, { role: 'clinician' }])
    expect(acts[1]).not.toHaveProperty('ends_at')
  })

  it('of an invitation is the member’s, and the link ends with it', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const ends_at = iso(NOW + DAY_MS)
    const invited = await owner.ask('POST', INVITATIONS, { email: 'auditor@example.org', role: 'auditor', ends_at })
    expect(invited).toMatchObject({ status: 201, body: { ends_at, expires_at: ends_at } })
    const accepted = await accept(organisation)
    expect(accepted).toMatchObject({ status: 201, body: { role: 'auditor', ends_at, status: 'active' } })
    const acts = await organisation.acts()
    expect(acts).toMatchObject([
      { act: 'invitation.create', ends_at },
      { act: 'member.join', ends_at },
    ])
  })

  it('is 90 days after the acceptance if the invitation names none', async () => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const invited = await owner.ask('POST', INVITATIONS, { email: 'auditor@example.org', role: 'auditor' })
    expect(invited).toMatchObject({ body: { ends_at: null, expires_at: iso(NOW + 7 * DAY_MS) } })
    vi.setSystemTime(NOW + DAY_MS)
    expect(await accept(organisation)).toMatchObject({ body: { ends_at: iso(NOW + 91 * DAY_MS) } })
  })

  it.each([
    ['of another role', 'developer', NOW + DAY_MS],
    ['in the past', 'auditor', NOW],
    ['more than 366 days ahead', 'auditor', NOW + 366 * DAY_MS + 1],
  ] as const)('%s is refused, and nothing changes', async (_, role, endsAt) => {
    const organisation = await foundOrganisation()
    const owner = await organisation.addPerson('owner')
    const { id } = await organisation.addPerson(role)
    const before = await owner.ask('GET', `/api/members/${id}`)
    const ends_at = iso(endsAt)
    const wrong = { status: 400, body: { error: { code: 'invalid_request', param: 'ends_at' } } }
    expect(await owner.ask('PATCH', `/api/members/${id}`, { ends_at })).toMatchObject(wrong)
    expect(await owner.ask('POST', INVITATIONS, { email: 'new@example.org', role, ends_at })).toMatchObject(wrong)
    expect(await owner.ask('GET', `/api/members/${id}`)).toEqual(before)
    expect([organisation.mails, await organisation.acts()]).toEqual([[], []])
  })

  it('that somebody changed meanwhile is not changed again', async () => {
    const { organisation, owner, auditor } = await withAuditor()
    const address = { id: organisation.organisationId, jurisdiction: 'eu' } as const
    const act = { actor: owner.id, act: 'member.access_end', requestId: 'req_1', content: {} }
    const stale = { id: auditor.id, role: 'auditor', endsAt: NOW } as const
    const by = { id: owner.id, role: 'owner' } as const
    const store = new MembersStore(env.DB, [])
    const changed = await store.change(newPendingAct(address, act, NOW), by, stale, {
      role: 'auditor',
      endsAt: NOW + 1,
    })
    expect(changed).toBe(false)
    expect(await store.find(address.id, auditor.id)).toMatchObject({ endsAt: NOW + HOUR_MS })
  })
})

function accept({ mails, nobody }: Awaited<ReturnType<typeof foundOrganisation>>) {
  const newcomer = { token: tokenOf(mails[0]?.text), name: 'An auditor', password: 'a password that nobody has' }
  return nobody('POST', `${INVITATIONS}/accept`, newcomer)
}
