// Tests what happens to the ledger's share of a change when a step fails.
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { dailyUpkeep, runUpkeep } from '../../../../src/daily-upkeep.ts'
import { PendingActsStore } from '../../../../src/accounts/members/pending-acts.store.ts'
import { foundOrganisation, pendingActs, tokenOf } from './people-of-organisation.ts'

const PATH = '/api/members/invitations'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The ledger is lost once it was reached so many times: a change reaches it once before it is made. */
function losableLedger() {
  const ledger = { reachable: Infinity }
  return { ledger, loseLedger: () => (ledger.reachable -= 1) < 0 }
}

async function organisationThatLoses() {
  const { ledger, loseLedger } = losableLedger()
  const organisation = await foundOrganisation({ loseLedger })
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('developer')
  ledger.reachable = 1
  const failed = await owner.ask('PATCH', `/api/members/${member.id}`, { role: 'auditor' })
  expect(failed).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } })
  ledger.reachable = Infinity
  return { organisation, owner, member, ledger }
}

it.each([
  ['PATCH', { role: 'auditor' }],
  ['DELETE', undefined],
] as const)(
  'nothing changes by %s where the ledger, which must revoke keys, cannot be reached',
  async (method, body) => {
    const { ledger, loseLedger } = losableLedger()
    const organisation = await foundOrganisation({ loseLedger })
    const owner = await organisation.addPerson('owner')
    const member = await organisation.addPerson('developer')
    ledger.reachable = 0
    expect(await owner.ask(method, `/api/members/${member.id}`, body)).toMatchObject({ status: 503 })
    expect(await organisation.roles()).toMatchObject({ [member.id]: 'developer' })
    expect(await pendingActs()).toBe(0)
  },
)

const age = (by: number) => env.DB.prepare('UPDATE pending_acts SET created_at = created_at - ?').bind(by).run()

it('a change whose entry could not be written is not answered as done, and its entry is not forgotten', async () => {
  const { organisation, member } = await organisationThatLoses()
  expect(await organisation.roles()).toMatchObject({ [member.id]: 'auditor' })
  expect(await organisation.acts()).toEqual([])
  expect(await pendingActs()).toBe(1)
})

it('nor is one where it could not be looked up what else is left', async () => {
  const organisation = await foundOrganisation()
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('developer')
  vi.spyOn(PendingActsStore.prototype, 'listOf').mockRejectedValueOnce(new Error('lost'))
  const failed = await owner.ask('PATCH', `/api/members/${member.id}`, { role: 'auditor' })
  expect(failed).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } })
  expect(await pendingActs()).toBe(1)
})

it('no mail goes out for an invitation that is not in the ledger', async () => {
  const { organisation, owner, ledger } = await organisationThatLoses()
  ledger.reachable = 0
  expect(await owner.ask('POST', PATH, { email: 'a@example.org', role: 'auditor' })).toMatchObject({ status: 503 })
  expect(organisation.mails).toEqual([])
})

it('the same change again brings what was left, so that its answer is true', async () => {
  const { ledger, loseLedger } = losableLedger()
  const organisation = await foundOrganisation({ loseLedger })
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('admin')
  const { body } = await member.ask('POST', '/api/keys', { name: 'A key', scopes: ['manage'] })
  const lower = () => owner.ask('PATCH', `/api/members/${member.id}`, { role: 'developer' })
  ledger.reachable = 1
  expect(await lower()).toMatchObject({ status: 503 })
  ledger.reachable = Infinity
  expect(await lower()).toMatchObject({ status: 200, body: { keys: [] } })
  expect((await owner.ask('GET', `/api/keys/${String(body['id'])}`)).body['status']).toBe('revoked')
  expect(await pendingActs()).toBe(0)
})

it('brought late, it leaves the keys that were made under a later role', async () => {
  const began = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: began })
  const { ledger, loseLedger } = losableLedger()
  const organisation = await foundOrganisation({ loseLedger })
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('admin')
  const change = (role: string) => owner.ask('PATCH', `/api/members/${member.id}`, { role })
  ledger.reachable = 1
  expect(await change('developer')).toMatchObject({ status: 503 })
  ledger.reachable = Infinity
  vi.setSystemTime(began + 20_000)
  expect(await change('admin')).toMatchObject({ status: 200 })
  const { body } = await member.ask('POST', '/api/keys', { name: 'A key', scopes: ['manage'] })
  vi.setSystemTime(began + 61_000)
  await organisation.deliverPending()
  expect((await owner.ask('GET', `/api/keys/${String(body['id'])}`)).body['status']).toBe('active')
})

it('the next change of the organisation brings what was left, before its own', async () => {
  const { organisation, owner, member } = await organisationThatLoses()
  await age(61_000)
  expect(await owner.ask('DELETE', `/api/members/${member.id}`)).toMatchObject({ status: 200 })
  const acts = await organisation.acts()
  expect(acts.map(({ act }) => act)).toEqual(['member.role', 'member.remove'])
  expect(new Set(acts.map(({ act_id: id }) => id)).size).toBe(2)
  expect(await pendingActs()).toBe(0)
})

it('what another change may still be bringing is left to it', async () => {
  const { organisation, owner, member } = await organisationThatLoses()
  expect(await owner.ask('DELETE', `/api/members/${member.id}`)).toMatchObject({ status: 200 })
  expect((await organisation.acts()).map(({ act }) => act)).toEqual(['member.remove'])
  expect(await pendingActs()).toBe(1)
})

it('the daily upkeep brings what was left, and waits for none that cannot be reached', async () => {
  const { organisation, ledger } = await organisationThatLoses()
  await age(61_000)
  ledger.reachable = 0
  await organisation.deliverPending()
  expect(await pendingActs()).toBe(1)
  await runUpkeep(env.DB, dailyUpkeep(env), Date.now())
  const acts = await organisation.acts()
  expect(acts.map(({ act }) => act)).toEqual(['member.role'])
  expect(acts[0]?.['act_id']).toMatch(/^act_/)
  expect(await pendingActs()).toBe(0)
})

it('brought late, it revokes the keys that were meant, and none that their maker has made since', async () => {
  const began = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: began })
  const { ledger, loseLedger } = losableLedger()
  const organisation = await foundOrganisation({ loseLedger })
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('developer')
  const { body: before } = await member.ask('POST', '/api/keys', { name: 'A key' })
  ledger.reachable = 1
  const removal = await owner.ask('DELETE', `/api/members/${member.id}`)
  expect(removal).toMatchObject({ status: 503 })
  ledger.reachable = Infinity
  vi.setSystemTime(began + 600_000)
  await organisation.addMember(member.id, 'developer')
  const { body: since } = await member.ask('POST', '/api/keys', { name: 'A key' })
  await organisation.deliverPending()
  const statusOf = async ({ id }: Record<string, unknown>) =>
    (await owner.ask('GET', `/api/keys/${String(id)}`)).body['status']
  expect([await statusOf(before), await statusOf(since)]).toEqual(['revoked', 'active'])
  expect((await organisation.acts()).filter(({ act }) => act === 'key.revoke')).toMatchObject([
    { member_id: member.id, key_ids: [before['id']] },
  ])
})

it('somebody who joins again in a lower role has no key of the earlier one, though its end was never brought', async () => {
  const began = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: began })
  const { ledger, loseLedger } = losableLedger()
  const organisation = await foundOrganisation({ loseLedger })
  const owner = await organisation.addPerson('owner')
  const member = await organisation.addPerson('admin')
  const keys = [{ scopes: ['manage'] }, { scopes: ['chat'] }].map(async (key) => {
    const { body } = await member.ask('POST', '/api/keys', { name: 'A key', ...key })
    return String(body['id'])
  })
  const ids = await Promise.all(keys)
  ledger.reachable = 1
  expect(await owner.ask('DELETE', `/api/members/${member.id}`)).toMatchObject({ status: 503 })
  ledger.reachable = Infinity
  await owner.ask('POST', PATH, { email: member.email, role: 'developer' })
  const token = tokenOf(organisation.mails.at(-1)?.text)
  expect(await member.ask('POST', `${PATH}/accept`, { token })).toMatchObject({ status: 201 })
  const status = async (id: string) => (await owner.ask('GET', `/api/keys/${id}`)).body['status']
  expect(await Promise.all(ids.map(status))).toEqual(['revoked', 'active'])
  vi.setSystemTime(began + 61_000)
  await organisation.deliverPending()
  expect(await Promise.all(ids.map(status))).toEqual(['revoked', 'revoked'])
})
