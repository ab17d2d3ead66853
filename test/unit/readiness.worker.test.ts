// GET /readyz: a good deployment, and one fact after another that is not so. Each fact changes the answer of its own check, and of
// no other.
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  ATTESTATION_KEY_SETTINGS,
  LOG_KEY_SETTINGS,
  seedSettingOf,
  type KeySettings,
} from '../../src/evidence/records/configured-keys.ts'
import { formatVkey, noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import { mintKey } from '../../src/evidence/records/signing-key.ts'
import { ReadinessSchema, type Readiness, type ReadinessCheck } from '../../src/readiness.schema.ts'
import { PublicLogFiles } from '../../src/public-log/public-log-files.store.ts'
import worker from '../../src/worker.ts'
import { startService, withKey } from '../support/unit/service.ts'
import { makeTables } from '../support/unit/tables.ts'
import { csv, LONG_HEADER, LONG_ROW } from './referral/waiting-lists/published-file.ts'
import { openIsolate, publishOk } from './referral/waiting-lists/test-storage.ts'

const NOW = Date.UTC(2026, 9, 20, 12)
const DAY = 86_400_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const drawn = (length: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** A key that signs, and its seed under the name of its secret. */
function keySettings(names: KeySettings) {
  const { seed, publicKey } = mintKey(() => crypto.getRandomValues(new Uint8Array(32)))
  const key = { public_key: publicKey, status: 'active', valid_from: '2026-01-01T00:00:00Z', valid_until: null }
  return { [names.history]: JSON.stringify([key]), [seedSettingOf(publicKey, names)]: seed.toHex() }
}

const token = drawn(32)
const attestation = keySettings(ATTESTATION_KEY_SETTINGS)
const log = keySettings(LOG_KEY_SETTINGS)
/** The runtime of the tests has no jurisdictions. */
const ORGANISATIONS = { jurisdiction: () => ({ idFromName: () => ({}) }) }
const WITNESS_KEY = mintKey(() => crypto.getRandomValues(new Uint8Array(32))).publicKey
const witness = {
  vkey: formatVkey(noteKeyFromBase64url('witness.elsewhere.ie', 'cosignature', WITNESS_KEY)),
  url: 'https://witness.elsewhere.ie',
}

const GOOD = {
  ENVIRONMENT: 'production',
  JURISDICTIONS: 'on',
  PUBLIC_ORIGIN: 'https://countersign.hospital.ie',
  KEY_PEPPERS: `1:${drawn(32)}`,
  OPERATOR_TOKEN: token,
  ...attestation,
  ...log,
  WITNESSES: JSON.stringify([witness]),
  OPENAI_API_KEY: 'of-openai',
  GOOGLE_API_KEY: 'of-google',
  EUR_PER_USD: '0.91',
  EUR_PER_USD_DATE: '2026-10-19',
  MAILER: 'http',
  MAILER_URL: 'https://mail.elsewhere.ie',
  MAILER_KEY: 'of-the-mailer',
  MAIL_FROM: 'service@countersign.hospital.ie',
  ORGANISATIONS,
  // The runtime of the tests says that it was deployed just now.
  VERSION: undefined,
}

async function makeGoodStorage(): Promise<void> {
  await makeTables()
  await env.DB.prepare("UPDATE upkeep_steps SET done_at = ?1, ran_at = ?1 WHERE step = 'tables_made'").bind(NOW).run()
  await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
  await writeCheckpoint(NOW - 60_000)
}

async function writeCheckpoint(signedAt: number): Promise<void> {
  const files = new PublicLogFiles(env.FILES)
  await files.replaceCheckpoint({ note: 'a note', signedAt }, await files.readCheckpoint())
}

async function look(settings: object = GOOD, sent = token): Promise<{ status: number; body: Readiness }> {
  const response = await startService(settings).fetch('/readyz', withKey(sent))
  const { error: _, ...body }: Record<string, unknown> = await response.json()
  return { status: response.status, body: ReadinessSchema().parse(body) }
}

const stateOf = (checks: readonly ReadinessCheck[]) => Object.fromEntries(checks.map(({ id, state }) => [id, state]))

it('is ready where every check passes, with the states of all', async () => {
  await makeGoodStorage()
  const { status, body } = await look()
  expect(Object.values(stateOf(body.checks)).filter((state) => state !== 'pass')).toEqual([])
  expect([status, body.ready, body.checks.length]).toEqual([200, true, 16])
})

const sql = (statement: string) => async () => void (await env.DB.prepare(statement).run())
const settings = (changed: object) => changed
const withoutSeed = (keys: object) =>
  Object.fromEntries(
    Object.keys(keys).map((name) => [name, /_SEED_/.test(name) ? undefined : GOOD[name as keyof typeof GOOD]]),
  )
const hanging = { ...env.FILES, head: () => new Promise(() => {}), get: env.FILES.get.bind(env.FILES) }

async function deleteFigures(): Promise<void> {
  const { keys } = await env.DATASETS.list()
  for (const { name } of keys) if (name !== 'waiting-lists/current') await env.DATASETS.delete(name)
  const { objects } = await env.FILES.list()
  for (const { key } of objects) if (!key.startsWith('public-log/')) await env.FILES.delete(key)
}

const FACTS: readonly [string, string, string, object | (() => Promise<void>)][] = [
  ['address', 'fail', 'the address is a placeholder', settings({ PUBLIC_ORIGIN: 'https://countersign.example' })],
  ['bindings', 'fail', 'the sign-in limit is not bound', settings({ SIGN_IN_SIEVE: undefined })],
  ['bindings', 'fail', 'the index is not bound', settings({ PUBLIC_LOG_INDEX: undefined })],
  ['jurisdiction', 'unknown', 'the runtime has no jurisdictions', settings({ ORGANISATIONS: env.ORGANISATIONS })],
  ['tables', 'fail', 'a migration is not applied', sql("DELETE FROM migration_hashes WHERE name LIKE '0002%'")],
  ['tables', 'warn', 'a newer release migrated', sql("INSERT INTO migration_hashes VALUES ('9999_later.sql', '0')")],
  [
    'files',
    'unknown',
    'the bucket fails',
    settings({ FILES: { ...hanging, head: () => Promise.reject(new Error('down')) } }),
  ],
  ['signing_key', 'fail', 'no key signs', settings({ ATTESTATION_KEYS: '[]' })],
  ['signing_key', 'fail', 'the seed is missing', settings(withoutSeed(attestation))],
  ['log_key', 'fail', 'no key signs checkpoints', settings({ LOG_KEYS: '[]' })],
  ['log_key', 'fail', 'its seed is missing', settings(withoutSeed(log))],
  ['log_key', 'warn', 'nobody cosigns', settings({ WITNESSES: '[]' })],
  ['public_log', 'fail', 'the checkpoint is old', () => writeCheckpoint(NOW - 301_000)],
  ['public_log', 'fail', 'the checkpoint is of the future', () => writeCheckpoint(NOW + 400 * DAY)],
  ['public_log', 'warn', 'there is none yet', () => env.FILES.delete('public-log/checkpoint')],
  ['upkeep', 'fail', 'it has never run', sql(`UPDATE upkeep_steps SET done_at = ${NOW - 27 * 3_600_000}`)],
  [
    'upkeep',
    'fail',
    'a step fails',
    sql(`INSERT INTO upkeep_steps VALUES ('erase_due_people', ${NOW}, ${NOW - 2 * DAY})`),
  ],
  [
    'upkeep',
    'fail',
    'a step has never been done',
    sql(`INSERT INTO upkeep_steps VALUES ('erase_due_people', ${NOW}, NULL)`),
  ],
  [
    'upkeep',
    'fail',
    'only the first step is ever done',
    sql(
      `INSERT INTO upkeep_steps VALUES ('deliver_acts', ${NOW}, ${NOW}), ('tables_made', 0, 0) ON CONFLICT (step) DO UPDATE SET done_at = 0`,
    ),
  ],
  ['upkeep', 'unknown', 'its table cannot be read', sql('DROP TABLE upkeep_steps')],
  ['figures', 'fail', 'none are published', () => env.DATASETS.delete('waiting-lists/current')],
  ['figures', 'fail', 'only the pointer is left', deleteFigures],
  ['figures', 'unknown', 'the pointer cannot be read', () => env.DATASETS.put('waiting-lists/current', '{')],
  ['readers', 'fail', 'a reader has no key', settings({ GOOGLE_API_KEY: undefined })],
  ['mail', 'warn', 'no mail is sent', settings({ MAILER: 'none' })],
  ['rate', 'warn', 'the rate is old', settings({ EUR_PER_USD_DATE: '2026-10-12' })],
  ['rate', 'warn', 'the rate has no date', settings({ EUR_PER_USD_DATE: undefined })],
  ['operator_token', 'warn', 'an old token is accepted', settings({ OPERATOR_TOKEN: `${token},${drawn(32)}` })],
]

it.each(FACTS)('%s is %s where %s, and no other check differs', async (id, state, _, fact) => {
  vi.spyOn(console, 'error').mockReturnValue()
  await makeGoodStorage()
  if (typeof fact === 'function') await fact()
  const { status, body } = await look(typeof fact === 'function' ? GOOD : { ...GOOD, ...fact })
  const differing = body.checks.filter((check) => check.state !== 'pass')
  expect(stateOf(differing)).toEqual({ [id]: state })
  expect([status, body.ready]).toEqual(state === 'warn' ? [200, true] : [503, false])
  for (const { seen, remedy } of differing) expect([seen, remedy].map((text) => text?.length ?? 0)).not.toContain(0)
})

it('figures are a warning once they are over 45 days old, and a reader’s model 60 days before it ends', async () => {
  await makeGoodStorage()
  vi.setSystemTime(Date.UTC(2026, 10, 20, 12))
  await writeCheckpoint(Date.now())
  await env.DB.prepare('UPDATE upkeep_steps SET done_at = ?').bind(Date.now()).run()
  const { status, body } = await look({ ...GOOD, EUR_PER_USD_DATE: '2026-11-20' })
  expect(stateOf(body.checks.filter(({ state }) => state !== 'pass'))).toEqual({ figures: 'warn', readers: 'warn' })
  expect(status).toBe(200)
})

it('a retired reader’s model fails', async () => {
  await makeGoodStorage()
  vi.setSystemTime(Date.UTC(2027, 0, 16, 12))
  const { body } = await look()
  expect(stateOf(body.checks)).toMatchObject({ readers: 'fail', upkeep: 'fail', public_log: 'fail', rate: 'warn' })
})

it('no provider has a key: neither readers nor models can be called', async () => {
  await makeGoodStorage()
  const { body } = await look({ ...GOOD, OPENAI_API_KEY: undefined, GOOGLE_API_KEY: undefined })
  const failing = body.checks.filter(({ state }) => state === 'fail')
  expect(stateOf(failing)).toEqual({ readers: 'fail', providers: 'fail' })
})

it('a storage that hangs keeps no other check waiting, and does not count as ready', async () => {
  await makeGoodStorage()
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW })
  const asking = look({ ...GOOD, FILES: hanging })
  const waiting = () => vi.getTimerCount()
  while (waiting() === 0) await env.DB.prepare('SELECT 1').run()
  while (waiting() > 1) await env.DB.prepare('SELECT 1').run()
  vi.advanceTimersByTime(2000)
  const { status, body } = await asking
  expect([status, stateOf(body.checks.filter(({ state }) => state !== 'pass'))]).toEqual([503, { files: 'unknown' }])
})

async function lookWhereWrong(changed: object, sent: string): Promise<Response> {
  vi.spyOn(console, 'error').mockReturnValue()
  const wrong = Object.assign({}, env, GOOD, changed)
  const request = new Request<unknown, IncomingRequestCfProperties>('https://service.test/readyz', {
    headers: { authorization: `Bearer ${sent}` },
  })
  return worker.fetch(request, wrong, createExecutionContext())
}

it.each([
  ['a setting is malformed', { KEY_PEPPERS: '1:zz' }, 'KEY_PEPPERS', 'unknown'],
  ['a binding is missing', { MAILER: 'cloudflare' }, 'EMAIL', 'pass'],
  ['a third token is there', { OPERATOR_TOKEN: [token, drawn(32), drawn(32)].join(',') }, 'OPERATOR_TOKEN', 'unknown'],
])('the operator is told all in one call where %s and each request is 503', async (_, changed, name, address) => {
  await makeGoodStorage()
  const response = await lookWhereWrong(changed, token)
  const { error: _error, ...body }: Record<string, unknown> = await response.json()
  const { checks } = ReadinessSchema().parse(body)
  expect(response.status).toBe(503)
  expect(checks[0]).toMatchObject({ id: 'settings', state: 'fail', seen: expect.stringContaining(name) as string })
  expect(stateOf(checks)).toMatchObject({ tables: 'pass', figures: 'pass', address })
})

it.each([
  ['another token', token, drawn(32), 401],
  ['no token', token, '', 401],
  ['a typed token in the settings', 'a'.repeat(32), 'a'.repeat(32), 404],
  ['a typed token beside a drawn one', `${token},${'a'.repeat(32)}`, 'a'.repeat(32), 401],
  ['none in the settings', undefined, '', 404],
])('nobody else is told where the settings are wrong: %s', async (_, OPERATOR_TOKEN, sent, status) => {
  const response = await lookWhereWrong({ KEY_PEPPERS: '1:zz', OPERATOR_TOKEN }, sent)
  expect([response.status, Object.keys(await response.json())]).toEqual([status, ['error']])
})

it.each([drawn(32), ''])('nobody else is told where they are right: %j', async (sent) => {
  const response = await startService(GOOD).fetch('/readyz', withKey(sent))
  expect([response.status, Object.keys(await response.json())]).toEqual([401, ['error']])
})

it('has no secret in its answer', async () => {
  await makeGoodStorage()
  const text = JSON.stringify(await look({ ...GOOD, OPERATOR_TOKEN: `${token},${drawn(32)}` }))
  const secrets = Object.entries(GOOD).flatMap(([name, value]) =>
    /_SEED_|PEPPER|TOKEN|_KEY$/.test(name) && typeof value === 'string' ? [value] : [],
  )
  expect(secrets.length).toBe(7)
  for (const secret of secrets) expect(text).not.toContain(secret)
})
