import type { Script } from '../../../support/e2e/golden/stage.ts'

export const settings: Script = async ({ stage, send }) => {
  const { id, owner, auditor, clinician } = await stage.organisation('Settings', ['owner', 'auditor', 'clinician'], {
    tier: 'healthcare',
  })
  const manager = await stage.key(id, { scopes: ['manage'] })
  await send('show', auditor, 'GET', '/api/settings')
  await send('show by a key', manager, 'GET', '/api/settings')
  await send('show as a clinician', clinician, 'GET', '/api/settings')
  await send('change', owner, 'PATCH', '/api/settings', {
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
  })
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
  await send('show the changed', owner, 'GET', '/api/settings')
}
