// What a key cannot be made with: a time that is over, and limits above those of its plan.
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
    ['above the day of its service', 'pro', 'vk_test_', { requests_per_day: 2001 }, 'requests_per_day'],
  ])('%s (%s, %s, %o)', async (_, tier, prefix, wanted, path) => {
    const organisation = await foundOrganisation({ tier })
    const { service, id } = organisation
    const refused = await service.operate('POST', `/organisations/${id}/keys`, { prefix, name: 'A key', ...wanted })
    expect(refused).toMatchObject({ error: { code: 'invalid_request', param: path, fields: [{ path }] } })
    expect(await organisation.query('SELECT id FROM keys')).toEqual([])
    expect(
      await organisation.query("SELECT position FROM details WHERE kind = 'operator_act' AND position > 0"),
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
  ['free', 'vk_live_', { requests_per_minute: 60, requests_per_day: 5000 }],
  ['free', 'aqta_', { expires_at: at(noon + 1) }],
])('creates a key just within its plan (%s, %s, %o)', async (tier, prefix, wanted) => {
  const { service, id } = await foundOrganisation({ tier })
  const created = await service.operate('POST', `/organisations/${id}/keys`, { prefix, name: 'A key', ...wanted })
  expect(created).toMatchObject({ object: 'api_key', ...wanted })
})
