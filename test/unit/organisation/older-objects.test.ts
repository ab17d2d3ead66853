// An organisation's object from before a change of its tables: it is brought up to date when it next starts, and goes on
// from what it has.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { foundOrganisation, noon, positionOf } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** What the first 19 steps had not made yet. */
const GO_BACK = [
  'ALTER TABLE settings DROP COLUMN version',
  'ALTER TABLE settings DROP COLUMN default_max_tokens',
  'ALTER TABLE settings DROP COLUMN cache_instructions',
  'ALTER TABLE settings DROP COLUMN retention_days',
  'ALTER TABLE settings DROP COLUMN loop_repeats',
  'ALTER TABLE settings DROP COLUMN loop_window_seconds',
  'ALTER TABLE settings DROP COLUMN loop_cycle_rounds',
  'ALTER TABLE settings DROP COLUMN loop_cycle_window_seconds',
  'ALTER TABLE call_counts DROP COLUMN day_before',
  'ALTER TABLE call_counts DROP COLUMN in_day_before',
  'DROP TABLE day_costs',
  ...['created_by', 'last_used_at', 'replaced_by'].map((column) => `ALTER TABLE keys DROP COLUMN ${column}`),
  'DROP TABLE idempotency_claims',
  ...['leaves', 'details', 'sealed_details', 'data_keys', 'keys', 'settings', 'reservations', 'chat_reservations'].map(
    (table) => `DROP TRIGGER ${table}_end_with_erasure`,
  ),
  'DROP TABLE erasure',
  'DROP TABLE erased',
  'DROP TABLE exports',
  'DROP TABLE cancelled_erasures',
  'DELETE FROM schema_steps WHERE step >= 19',
]

it('keeps its settings, its counts and its spending, and has a default for what it did not know', async () => {
  const organisation = await foundOrganisation({ tier: 'pro', requests_per_minute: 50, monthly_budget_eur: 1 })
  const key = await organisation.issueKey({ requests_per_day: 2 })
  const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
  await organisation.query(`INSERT INTO costs (subject, day, microeur) VALUES ('key_of_before', 7, 5)`)
  for (const statement of GO_BACK) await organisation.query(statement)
  await organisation.evict()

  expect((await organisation.settle(position, 40)).outcome).toBe('settled')
  expect(await organisation.admit(key)).toMatchObject({ outcome: 'admitted', rate: { limit: 2, remaining: 0 } })
  expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
  expect(await organisation.query('SELECT subject, day, microeur FROM day_costs')).toEqual([
    { subject: 'key_of_before', day: 7, microeur: 5 },
  ])
  expect(await organisation.set({ enabled_providers: ['google'] })).toMatchObject({
    tier: 'pro',
    requests_per_minute: 50,
    monthly_budget_eur: 1,
    enabled_providers: ['google'],
    default_max_tokens: 16_384,
    cache_instructions: false,
    retention_days: null,
    loop_repeats: 5,
    loop_window_seconds: 60,
    loop_cycle_rounds: 5,
    loop_cycle_window_seconds: 300,
  })
})
