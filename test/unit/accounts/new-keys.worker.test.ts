// Tests refusals of keys that the operator makes: an expiry in the past, limits above their plan. Also tests what the ledger
// and the list say of the keys that were made.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { foundOrganisation, noon } from '../organisation/chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const at = (ms: number): string => new Date(ms).toISOString()

describe('a key is not created', () => {
  it.each([
    ['that has expired', 'free', 'aqta_', { expires_at: at(noon - 1) }, 'expires_at'],
    ['that expires now', 'free', 'vk_test_', { expires_at: at(noon) }, 'expires_at'],
    ['above the rate of its tier', 'free', 'aqta_', { requests_per_minute: 6 }, 'requests_per_minute'],
    ['above the rate of its tier', 'starter', 'sk-aqta-', { requests_per_minute: 101 }, 'requests_per_minute'],
    ['above the month of its tier in a day', 'free', 'aqta_', { requests_per_day: 501 }, 'requests_per_day'],
    ['above the rate of its service', 'pro', 'vk_live_', { requests_per_minute: 61 }, 'requests_per_minute'],
    ['with a data region that there is not', 'pro', 'vk_live_', { data_region: 'EU' }, 'data_region'],
    ['above the day of its service', 'pro', 'vk_test_', { requests_per_day: 2001 }, 'requests_per_day'],
  ])('%s (%s, %s, %o)', async (_, tier, prefix, wanted, path) => {
    const organisation = await foundOrganisation({ tier })
    const { service, id } = organisation
    const refused = await service.operate('POST', `/organisations/${id}/keys`, { prefix, name: 'A key', ...wanted })
    expect(refused).toMatchObject({ error: { code: 'invalid_request', param: path, fields: [{ path }] } })
    expect(await organisation.query('SELECT id FROM keys')).toEqual([])
    expect(
      await organisation.query("SELECT position FROM entries WHERE kind = 'operator_act' AND position > 0"),
    ).toEqual([])
  })

  it('above an organisation’s own rate, and says what is the most', async () => {
    const { service, id } = await foundOrganisation({ tier: 'pro', requests_per_minute: 40 })
    const wanted = { prefix: 'aqta_', name: 'A key', requests_per_minute: 41 }
    expect(await service.operate('POST', `/organisations/${id}/keys`, wanted)).toMatchObject({
      error: { fields: [{ path: 'requests_per_minute', rule: 'at most 40' }] },
    })
  })
})

it.each([
  ['free', 'aqta_', { requests_per_minute: 5, requests_per_day: 500 }],
  ['free', 'vk_live_', { requests_per_minute: 60, requests_per_day: 5000, data_region: 'eu' }],
  ['free', 'aqta_', { expires_at: at(noon + 1) }],
])('creates a key just within its plan (%s, %s, %o)', async (tier, prefix, wanted) => {
  const { service, id } = await foundOrganisation({ tier })
  const created = await service.operate('POST', `/organisations/${id}/keys`, { prefix, name: 'A key', ...wanted })
  expect(created).toMatchObject({ object: 'api_key', ...wanted })
})

it('writes into the ledger what the key may do, and not its name', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const wanted = { scopes: ['chat', 'manage'], requests_per_day: 9, data_region: 'eea_ch', expires_at: at(noon + 1) }
  const { id } = await organisation.issueKey({ name: 'marked-name', ...wanted })
  const [, entry] = await organisation.acts()
  expect(entry).toMatchObject({ act: 'key.create', key_id: id, prefix: 'aqta_', requests_per_minute: null, ...wanted })
  expect(JSON.stringify(entry)).not.toContain('marked')
})

it('lists keys page by page, newest first, those that are over too', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const ids: string[] = []
  for (const expires_at of [at(noon + 1), at(noon + 9), at(noon + 9)]) {
    ids.unshift((await organisation.issueKey({ expires_at })).id)
    vi.setSystemTime(Date.now() + 1)
  }
  type Page = { data: { id: string }[]; next_cursor: string | null }
  const list = (query: string) =>
    organisation.service.operate<Page>('GET', `/organisations/${organisation.id}/keys?${query}`)
  const first = await list('limit=2')
  const second = await list(`limit=2&cursor=${first.next_cursor}`)
  expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)])
  expect(second.next_cursor).toBe(null)
})
