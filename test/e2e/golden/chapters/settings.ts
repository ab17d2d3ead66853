import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'

export const settings: Script = async ({ stage, send }) => {
  const { id, owner, auditor, clinician } = await stage.organisation('Settings', ['owner', 'auditor', 'clinician'], {
    tier: 'healthcare',
  })
  const manager = await stage.key(id, { scopes: ['manage'] })
  const shown = await send('show', auditor, 'GET', '/api/settings')
  expect(shown.json).toMatchObject({
    id,
    name: 'Settings',
    tier: 'healthcare',
    jurisdiction: 'eu',
    region: 'weur',
    demo: false,
    version: 1,
    enabled_providers: ['openai', 'anthropic', 'google', 'perplexity'],
    monthly_budget_eur: null,
    default_max_tokens: 16_384,
    cache_instructions: false,
    idempotent_replays: false,
    unsupported: 'drop',
    retention_days: null,
    content_logging: null,
    loop_repeats: 5,
    loop_window_seconds: 60,
    loop_cycle_rounds: 5,
    loop_cycle_window_seconds: 300,
    second_factor: 'off',
    second_factor_from: null,
    limits: { requests_per_minute: 1000, requests_per_month: 1_000_000, models: 'all', retention_days: 365 },
  })
  await send('show by a key', manager, 'GET', '/api/settings')
  await send('show as a clinician', clinician, 'GET', '/api/settings')
  const changes = {
    name: 'Settings, renamed',
    enabled_providers: ['openai'],
    monthly_budget_eur: 99.99,
    default_max_tokens: 1000,
    cache_instructions: true,
    idempotent_replays: true,
    unsupported: 'refuse',
    retention_days: 400,
    content_logging: { retention_days: 10 },
    loop_repeats: 3,
    loop_window_seconds: 20,
    loop_cycle_rounds: 3,
    loop_cycle_window_seconds: 60,
  }
  const changed = await send('change', owner, 'PATCH', '/api/settings', changes)
  expect(changed.json).toMatchObject({ id, ...changes, version: 2, limits: { retention_days: 400 } })
  await send('change by a key', manager, 'PATCH', '/api/settings', { monthly_budget_eur: null })
  await send('change nothing', owner, 'PATCH', '/api/settings', {})
  await send('change what is so already', owner, 'PATCH', '/api/settings', { loop_repeats: 3 })
  await send('change an older version', owner, 'PATCH', '/api/settings', { loop_repeats: 5, if_version: 0 })
  await send('change wrongly', owner, 'PATCH', '/api/settings', {
    loop_repeats: 1,
    retention_days: 1,
    unsupported: 'maybe',
    tier: 'pro',
  })
  await send('change as an auditor', auditor, 'PATCH', '/api/settings', { loop_repeats: 5 })
  await send('require a second factor without one', owner, 'PATCH', '/api/settings', { second_factor: 'any' })
  await send('require a second factor by a key', manager, 'PATCH', '/api/settings', { second_factor: 'any' })
  const last = await send('show the changed', owner, 'GET', '/api/settings')
  expect(last.json).toMatchObject({ id, ...changes, monthly_budget_eur: null, version: 5 })

  const asking = '/api/settings/tier-request'
  const asked = await send('ask for a tier', owner, 'POST', asking, { tier: 'enterprise' })
  expect(asked.json).toMatchObject({ object: 'tier_request', tier: 'enterprise' })
  const again = await send('ask again, by a key', manager, 'POST', asking, { tier: 'enterprise' })
  expect(again.json).toEqual(asked.json)
  await send('ask for the tier that it has', owner, 'POST', asking, { tier: 'healthcare' })
  await send('ask for a lower tier', owner, 'POST', asking, { tier: 'pro' })
  await send('ask for a tier that is none', owner, 'POST', asking, { tier: 'gold' })
  await send('ask as an auditor', auditor, 'POST', asking, { tier: 'enterprise' })
  const open = await send('show the request', auditor, 'GET', '/api/settings')
  expect(open.json).toMatchObject({ tier_request: asked.json, version: 5 })
}
