// Tests what the daily upkeep deletes, and that a failing step stops no other.
import worker from '../../src/worker.ts'
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runUpkeep } from '../../src/daily-upkeep.ts'
import { makeTables } from '../support/unit/tables.ts'
import { PERSON, rowsOf, startPeople } from './accounts/sign-in/people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const runDaily = (at: number, settings: object = {}) =>
  worker.scheduled(createScheduledController({ scheduledTime: new Date(at) }), { ...env, ...settings })

async function count(): Promise<Map<string, number>> {
  const counted = new Map<string, number>()
  for (const table of ['people', 'sessions', 'mail_links', 'invitations', 'oauth_flows', 'attempts'])
    counted.set(table, (await rowsOf(table)).length)
  return counted
}

const counts = (expected: Record<string, number>) => new Map(Object.entries(expected))

it('what has expired goes, and nothing else', async () => {
  const people = startPeople()
  await people.join()
  await people.signUp({ email: 'bob@example.org' })
  await people.post('/password-reset', { email: PERSON.email })
  await env.DB.prepare(
    "INSERT INTO oauth_flows (state_hash, provider, verifier, nonce, return_to, expires_at) VALUES (zeroblob(32), '', '', '', '', ?)",
  )
    .bind(noon + 1)
    .run()
  const before = await count()
  expect(before).toEqual(
    counts({ people: 1, sessions: 1, mail_links: 2, invitations: 0, oauth_flows: 1, attempts: 10 }),
  )
  await runDaily(noon)
  expect(await count()).toEqual(before)
  await runDaily(noon + DAY)
  // The network that the person signs in from is remembered for 30 days.
  const left = { people: 1, sessions: 0, mail_links: 0, invitations: 0, oauth_flows: 0 }
  expect(await count()).toEqual(counts({ ...left, attempts: 1 }))
  await runDaily(noon + 30 * DAY)
  expect(await count()).toEqual(counts({ ...left, attempts: 0 }))
})

it('more than one statement takes go too', async () => {
  await makeTables()
  await env.DB.prepare(
    `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 12001)
     INSERT INTO attempts (subject, tries, window_ends_at) SELECT value, 1, 1 FROM n`,
  ).run()
  await runDaily(noon)
  expect(await rowsOf('attempts')).toEqual([])
})

it.each([
  ['a warning before', 'warn', noon, 55],
  ['an error after', 'error', Date.UTC(2027, 0, 16, 12), -2],
] as const)('a reader’s model that its provider ends is %s the day', async (_, level, now, days) => {
  await makeTables()
  const lines: string[] = []
  vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line))
  await runDaily(now)
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level, event: 'reader_model_retires', model: 'gpt-4.1-mini', retires_on: '2027-01-14', days_left: days },
  ])
  vi.restoreAllMocks()
})

it('the models and promises of the readers in use are told, and no others', async () => {
  await makeTables()
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line))
  await runDaily(Date.parse('2027-02-26T03:23:00Z'), { READERS_DATA_REGION: 'eea_ch' })
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { event: 'reader_promise_old', provider: 'openai', model: 'gpt-6-luna', read_on: '2026-11-27', days_since: 91 },
    { event: 'reader_promise_old', provider: 'bedrock', model: 'claude-haiku-5-5' },
  ])
  vi.restoreAllMocks()
})

it('a step that fails is logged by its name, the others are done, and each has its times in D1', async () => {
  await makeTables()
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  const done: string[] = []
  const steps = {
    first: async () => void done.push('first'),
    failing: async () => void done.push('failing'),
    last: async () => void done.push('last'),
  }
  await runUpkeep(env.DB, steps, noon)
  const failing = () => Promise.reject(new TypeError('of ann@example.org'))
  await expect(runUpkeep(env.DB, { ...steps, failing }, noon + DAY)).rejects.toThrow('failed: failing')
  expect(done).toEqual(['first', 'failing', 'last', 'first', 'last'])
  expect(lines.join()).toContain('"outcome":"failing","error_class":"TypeError"')
  expect(lines.join()).not.toContain('ann@')
  expect((await rowsOf('upkeep_steps')).filter(({ step }) => step !== 'tables_made')).toEqual([
    { step: 'failing', ran_at: noon + DAY, done_at: noon },
    { step: 'first', ran_at: noon + DAY, done_at: noon + DAY },
    { step: 'last', ran_at: noon + DAY, done_at: noon + DAY },
  ])
  vi.restoreAllMocks()
})

it('a step whose times cannot be written counts as failed', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  await makeTables()
  await env.DB.prepare('DROP TABLE upkeep_steps').run()
  await expect(runUpkeep(env.DB, { only: () => Promise.resolve() }, noon)).rejects.toThrow('failed: only')
  vi.restoreAllMocks()
})
