// npm run doctor: a good deployment, and one fact after another that is not so. Each fact changes the answer of its own check, and of
// no other.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listen } from '../../scripts/local-http-server.ts'
import { ADDRESS_CHECKS } from '../../scripts/doctor/address.checks.ts'
import type { AddressFacts } from '../../scripts/doctor/ask-address.ts'
import { askReadiness } from '../../scripts/doctor/ask-readiness.ts'
import { CONFIGURATION_CHECKS } from '../../scripts/doctor/configuration.checks.ts'
import { askAll, describeChecks, type DoctorCheck } from '../../scripts/doctor/doctor-check.ts'
import { readConfiguration, type ConfigurationFacts } from '../../scripts/doctor/read-configuration.ts'
import { deploy } from '../../scripts/deploy.ts'
import { runDoctor } from '../../scripts/doctor.ts'
import {
  ATTESTATION_KEY_SETTINGS,
  LOG_KEY_SETTINGS,
  seedSettingOf,
  type KeySettings,
} from '../../src/evidence/records/configured-keys.ts'
import { mintKey } from '../../src/evidence/records/signing-key.ts'

const NOW = Date.UTC(2026, 9, 20, 12)

/** A key that signs, and its seed under the name of its secret. */
function drawKey(names: KeySettings) {
  const { seed, publicKey } = mintKey(() => randomBytes(32))
  const key = { public_key: publicKey, status: 'active', valid_from: '2026-01-01T00:00:00Z', valid_until: null }
  const history = { [names.history]: JSON.stringify([key]) }
  return { history, seedName: seedSettingOf(publicKey, names), seed: Buffer.from(seed).toString('hex') }
}

const attestation = drawKey(ATTESTATION_KEY_SETTINGS)
const log = drawKey(LOG_KEY_SETTINGS)
const SECRETS = {
  KEY_PEPPERS: `1:${randomBytes(32).toString('hex')}`,
  OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
  OPENAI_API_KEY: 'of-openai',
  GOOGLE_API_KEY: 'of-google',
  MAILER_KEY: 'of-the-mailer',
  [attestation.seedName]: attestation.seed,
  [log.seedName]: log.seed,
}

const VARS = {
  ENVIRONMENT: 'production',
  PUBLIC_ORIGIN: 'https://countersign.hospital.ie',
  JURISDICTIONS: 'on',
  EUR_PER_USD: '0.91',
  EUR_PER_USD_DATE: '2026-10-19',
  MAILER: 'http',
  MAILER_URL: 'https://mail.elsewhere.ie',
  MAIL_FROM: 'service@countersign.hospital.ie',
  ...attestation.history,
  ...log.history,
}

/** The tracked wrangler.toml with an address, ids and keys of its own. */
function goodFacts(): ConfigurationFacts {
  const facts = readConfiguration('production', SECRETS)
  return {
    ...facts,
    now: NOW,
    config: {
      ...facts.config,
      routes: ['countersign.hospital.ie'],
      vars: { ...facts.config.vars, ...VARS },
      kv_namespaces: [{ binding: 'DATASETS', id: 'a1b2c3d4e5f60718293a4b5c6d7e8f90' }],
      d1_databases: [{ binding: 'DB', database_id: '1c9a1f7e-3b52-4d0e-9d1c-7a2f3f9d5b11' }],
    },
  }
}

const differing = (checks: readonly DoctorCheck[]) =>
  Object.fromEntries(checks.flatMap(({ id, state }) => (state === 'pass' ? [] : [[id, state]])))

const judge = (facts: ConfigurationFacts) => askAll('configuration', CONFIGURATION_CHECKS, facts)

type Change = (facts: ConfigurationFacts) => Partial<ConfigurationFacts>

const config =
  (changed: object): Change =>
  (facts) => ({ config: { ...facts.config, ...changed } })
const vars =
  (changed: object): Change =>
  (facts) => ({
    config: { ...facts.config, vars: { ...facts.config.vars, ...changed } },
  })
const secrets =
  (changed: Record<string, string | null>): Change =>
  () => ({ secrets: { ...SECRETS, ...changed } })
const without =
  (name: string): Change =>
  () => ({
    secrets: Object.fromEntries(Object.entries(SECRETS).filter(([one]) => one !== name)),
  })
const endedKey = (names: KeySettings) => ({
  [names.history]: JSON.stringify([
    {
      public_key: drawnKey,
      status: 'retired',
      valid_from: '2025-01-01T00:00:00Z',
      valid_until: '2026-01-01T00:00:00Z',
    },
  ]),
})
const drawnKey = mintKey(() => randomBytes(32)).publicKey
const OTHER_SEED = Buffer.from(mintKey(() => randomBytes(32)).seed).toString('hex')

const CONFIGURATION_FACTS: readonly [string, string, string, Change][] = [
  [
    'placeholders',
    'fail',
    'an id of zeros is left',
    config({ kv_namespaces: [{ binding: 'DATASETS', id: '0'.repeat(31) + '3' }] }),
  ],
  [
    'placeholders',
    'fail',
    'a database of zeros is left',
    config({ d1_databases: [{ binding: 'DB', database_id: '00000000-0000-0000-0000-000000000003' }] }),
  ],
  ['placeholders', 'fail', 'the sender of mail is one', vars({ MAIL_FROM: 'service@countersign.example' })],
  ['address', 'fail', 'the route is another host', config({ routes: ['www.hospital.ie'] })],
  ['address', 'fail', 'there is no route', config({ routes: [] })],
  ['only_address', 'fail', 'workers.dev reaches it', config({ workers_dev: true })],
  ['only_address', 'fail', 'previews have addresses', config({ preview_urls: undefined })],
  ['strictly_public', 'fail', 'its flag is gone', config({ compatibility_flags: ['enable_request_signal'] })],
  ['jurisdiction', 'fail', 'a bucket is elsewhere', config({ r2_buckets: [{ bucket_name: 'countersign-files' }] })],
  ['storage_ids', 'fail', 'a database has no id', config({ d1_databases: [{ binding: 'DB' }] })],
  ['storage_ids', 'fail', 'a namespace has no id', config({ kv_namespaces: [{ binding: 'DATASETS' }] })],
  ['bindings', 'fail', 'the environment lacks one', () => ({ notRepeated: ['ratelimits'] })],
  ['not_shared', 'fail', 'two share a limit', () => ({ shared: ['rate limit 8803'] })],
  [
    'migrations',
    'fail',
    'one was edited',
    (facts) => ({ migrations: { ...facts.migrations, edited: ['0001_baseline.sql'] } }),
  ],
  [
    'migrations',
    'fail',
    'a number is missing',
    () => ({ migrations: { names: ['0001_a.sql', '0003_b.sql'], edited: [] } }),
  ],
  ['settings', 'fail', 'a number is malformed', vars({ READER_SAMPLES: '0' })],
  ['settings', 'fail', 'a witness is malformed', vars({ WITNESSES: '[{}]' })],
  ['settings', 'fail', 'it is called another environment', vars({ ENVIRONMENT: 'staging' })],
  ['settings', 'fail', 'both readers are one provider’s', vars({ READER_B_MODEL: 'gpt-4.1' })],
  ['settings', 'fail', 'the pepper was typed', secrets({ KEY_PEPPERS: `1:${'0'.repeat(64)}` })],
  ['secrets_in_file', 'fail', 'a key is in the tracked file', vars({ MISTRAL_API_KEY: 'sk-1' })],
  ['secrets', 'fail', 'the pepper is missing', without('KEY_PEPPERS')],
  ['secrets', 'fail', 'the operator’s token is missing', without('OPERATOR_TOKEN')],
  ['secrets', 'fail', 'the mailer’s key is missing', without('MAILER_KEY')],
  ['secrets', 'fail', 'wrangler would replace a part', secrets({ OPENAI_API_KEY: 'sk-$HOME' })],
  ['signing_key', 'fail', 'there is none', vars({ ATTESTATION_KEYS: '[]' })],
  ['signing_key', 'fail', 'its history is malformed', vars({ ATTESTATION_KEYS: '{' })],
  ['signing_key', 'fail', 'its seed is missing', without(attestation.seedName)],
  ['signing_key', 'fail', 'its seed is another key’s', secrets({ [attestation.seedName]: OTHER_SEED })],
  ['signing_key', 'warn', 'a seed is of no key', secrets({ ATTESTATION_SEED_0123456789ABCDEF: OTHER_SEED })],
  ['log_key', 'fail', 'it was retired', vars(endedKey(LOG_KEY_SETTINGS))],
  ['log_key', 'fail', 'its seed is another key’s', secrets({ [log.seedName]: OTHER_SEED })],
  ['log_key', 'warn', 'a seed is of no key', secrets({ LOG_SEED_0123456789ABCDEF: OTHER_SEED })],
  ['readers', 'fail', 'a reader has no key', without('GOOGLE_API_KEY')],
  ['readers', 'fail', 'letters stay in Europe, and the keys are others', vars({ READERS_DATA_REGION: 'eea_ch' })],
  ['mail', 'warn', 'none is sent', vars({ MAILER: 'none' })],
  ['mail', 'fail', 'the binding is missing', vars({ MAILER: 'cloudflare' })],
  ['rate', 'warn', 'it is old', vars({ EUR_PER_USD_DATE: '2026-10-12' })],
  ['rate', 'warn', 'it has no date', vars({ EUR_PER_USD_DATE: undefined })],
]

describe('the configuration', () => {
  it('is well where every check passes', () => {
    expect(differing(judge(goodFacts()))).toEqual({})
  })

  it.each(CONFIGURATION_FACTS)('%s is %s where %s, and no other check differs', (id, state, _, change) => {
    const facts = goodFacts()
    const checks = judge({ ...facts, ...change(facts) })
    expect(differing(checks)).toEqual({ [id]: state })
    const text = describeChecks(checks)
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret)
  })

  it('has a fact for each check', () => {
    expect(new Set(CONFIGURATION_FACTS.map(([id]) => id))).toEqual(new Set(Object.keys(CONFIGURATION_CHECKS)))
  })

  it('is judged by names alone where the account gives no values', () => {
    const names = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, null]))
    expect(differing(judge({ ...goodFacts(), secrets: names }))).toEqual({})
  })

  it('is not well where nobody says which secrets there are', () => {
    const missing = { secrets: 'unknown', readers: 'unknown', signing_key: 'unknown', log_key: 'unknown' }
    expect(differing(judge({ ...goodFacts(), secrets: null }))).toEqual(missing)
  })

  it.each(['staging', 'production'])(
    'of %s in wrangler.toml lacks what an operator must do, and nothing else',
    (environment) => {
      const found = differing(judge(readConfiguration(environment, SECRETS)))
      expect(found).toMatchObject({ placeholders: 'fail', signing_key: 'fail', log_key: 'fail' })
      const { placeholders: _, signing_key: _s, log_key: _l, mail: _m, rate: _r, ...others } = found
      expect(others).toEqual({})
    },
  )
})

const sent = (policy: string, changed: Record<string, string> = {}) =>
  new Headers({
    'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    date: new Date(NOW).toUTCString(),
    ...changed,
  })
const ofApi = (changed?: Record<string, string>) => sent("default-src 'none'", changed)

const GOOD_ADDRESS: AddressFacts = {
  url: new URL('https://countersign.hospital.ie'),
  certificate: 'valid',
  acceptsTls12: false,
  redirect: { status: 301, location: 'https://countersign.hospital.ie/healthz' },
  page: sent("default-src 'self'"),
  health: { status: 200, headers: ofApi(), parts: [] },
  contract: { checks: 60, differing: [] },
  askedAt: NOW + 1000,
}

const ADDRESS_FACTS: readonly [string, string, string, Partial<AddressFacts>][] = [
  ['certificate', 'fail', 'it has expired', { certificate: 'CERT_HAS_EXPIRED' }],
  ['tls', 'fail', '1.2 is accepted', { acceptsTls12: true }],
  ['redirect', 'fail', 'http is answered', { redirect: { status: 200, location: null } }],
  ['redirect', 'fail', 'http leads to http', { redirect: { status: 301, location: 'http://elsewhere.ie' } }],
  ['health', 'fail', 'a part fails', { health: { status: 503, headers: ofApi(), parts: ['log_key'] } }],
  ['page_headers', 'fail', 'the policy is gone', { page: sent('') }],
  ['page_headers', 'unknown', 'there is no page', { page: null }],
  [
    'api_headers',
    'fail',
    'browsers may guess types',
    { health: { status: 200, headers: ofApi({ 'x-content-type-options': '' }), parts: [] } },
  ],
  [
    'api_headers',
    'fail',
    'a day of HSTS',
    { health: { status: 200, headers: ofApi({ 'strict-transport-security': 'max-age=86400' }), parts: [] } },
  ],
  ['clock', 'warn', 'this machine is late', { askedAt: NOW - 40_000 }],
  ['contract', 'warn', 'there is no key', { contract: null }],
  [
    'contract',
    'fail',
    'a check differs',
    { contract: { checks: 60, differing: ['keys, no key: status 200, not 401'] } },
  ],
]

describe('the address', () => {
  it('is well where every check passes', () => {
    expect(differing(askAll('address', ADDRESS_CHECKS, GOOD_ADDRESS))).toEqual({})
  })

  it.each(ADDRESS_FACTS)('%s is %s where %s, and no other check differs', (id, state, _, changed) => {
    expect(differing(askAll('address', ADDRESS_CHECKS, { ...GOOD_ADDRESS, ...changed }))).toEqual({ [id]: state })
  })

  it('has a fact for each check', () => {
    expect(new Set(ADDRESS_FACTS.map(([id]) => id))).toEqual(new Set(Object.keys(ADDRESS_CHECKS)))
  })
})

describe('the service', () => {
  const check = { id: 'settings', state: 'pass', seen: 'environment production', blocks: null, remedy: null }

  async function asking(answer: [number, string]) {
    const authorizations: (string | undefined)[] = []
    const server = createServer((request, response) => {
      authorizations.push(request.headers.authorization)
      response.writeHead(answer[0], { location: 'http://127.0.0.1:1/' }).end(answer[1])
    })
    const { url, close } = await listen(server)
    const checks = await askReadiness(url, 'a token')
    await close()
    return { checks, authorizations }
  }

  it.each([200, 503])('tells the checks of an answer of %i', async (status) => {
    const { checks, authorizations } = await asking([
      status,
      JSON.stringify({ ready: status === 200, checks: [check] }),
    ])
    expect(checks).toEqual([{ part: 'service', ...check }])
    expect(authorizations).toEqual(['Bearer a token'])
  })

  it.each([
    [401, '{"error":{}}', 'another operator’s token'],
    [404, '{"error":{}}', '404'],
    [200, '<html>', '200 without checks'],
    [302, '', 'nothing answers'],
  ])('is unknown after an answer of %i', async (status, body, seen) => {
    const { checks } = await asking([status, body])
    expect(checks).toMatchObject([{ id: 'readyz', state: 'unknown', seen: expect.stringContaining(seen) as string }])
  })

  it.each([
    [undefined, 'http://127.0.0.1:1'],
    ['a token', 'http://countersign.hospital.ie'],
  ])('sends no token %j to %s', async (token, address) => {
    expect(await askReadiness(address, token)).toMatchObject([{ id: 'readyz', state: 'unknown' }])
  })
})

describe('the command', () => {
  async function run(...args: string[]) {
    const lines: string[] = []
    const output = { print: (line: string) => lines.push(line), report: (line: string) => lines.push(line) }
    return { code: await runDoctor(args, output), text: lines.join('\n') }
  }

  it('ends with 1 where the configuration is not well, and says what to do', async () => {
    const { code, text } = await run('--offline')
    expect(code).toBe(1)
    expect(text).toMatch(/fail +placeholders +routes/)
    expect(text).toContain('npm run secrets -- --env production')
    expect(text).toMatch(/^Not well: \d+ pass, \d+ warn, 3 fail, 2 unknown\.$/m)
  })

  it('prints the same as JSON', async () => {
    const { code, text } = await run('--offline', '--json', '--env', 'staging')
    expect(code).toBe(1)
    const { ok, checks } = z.object({ ok: z.boolean(), checks: z.array(z.unknown()) }).parse(JSON.parse(text))
    expect([ok, checks.length]).toEqual([false, Object.keys(CONFIGURATION_CHECKS).length])
    expect(checks[0]).toMatchObject({ part: 'configuration', id: 'placeholders', state: 'fail' })
  })

  it.each([
    [['--env', 'prod'], 'prod is not deployed. Use --env production or --env staging.'],
    [['--secrets', 'nowhere.env'], 'nowhere.env is not a file'],
    [['--secrets', 'package.json', '--url', 'countersign'], 'is not an http or https address'],
    [['--all'], 'Unknown option'],
  ])('ends with 2 for %j', async (args, words) => {
    const { code, text } = await run(...args)
    expect([code, text]).toEqual([2, expect.stringContaining(words)])
  })
})

describe('npm run deploy', () => {
  async function run(facts: ConfigurationFacts, given: { secrets?: string; isDry?: boolean } = {}, failing = '') {
    const ran: string[] = []
    const lines: string[] = []
    const wrangler = async (args: readonly string[]) => {
      ran.push(args.join(' '))
      return args[0] === failing ? 7 : 0
    }
    const output = { print: (line: string) => lines.push(line), report: (line: string) => lines.push(line) }
    const options = { env: 'production', secrets: given.secrets, isDry: given.isDry ?? false }
    return { code: await deploy(options, facts, wrangler, output), ran, text: lines.join('\n') }
  }
  const tables = 'd1 migrations apply DB --env production --remote'

  it('makes the tables, then uploads code, settings and secrets together', async () => {
    const { code, ran, text } = await run(goodFacts(), { secrets: 'secrets.production.env' })
    expect([code, ran]).toEqual([
      0,
      [tables, 'deploy --env production --experimental-provision=false --secrets-file secrets.production.env'],
    ])
    expect(text).toContain('npm run doctor -- --env production --secrets secrets.production.env')
  })

  it('leaves the secrets of the account where it gets none', async () => {
    expect((await run(goodFacts())).ran).toEqual([tables, 'deploy --env production --experimental-provision=false'])
  })

  it.each([
    ['fails', { shared: ['rate limit 8803'] }],
    ['is unknown', { secrets: null }],
  ])('asks nothing of the account where a check %s', async (_, changed) => {
    const { code, ran, text } = await run({ ...goodFacts(), ...changed })
    expect([code, ran]).toEqual([1, []])
    expect(text).toContain('Nothing was deployed.')
  })

  it('uploads nothing where the tables cannot be made, or in a dry run', async () => {
    expect(await run(goodFacts(), {}, 'd1')).toMatchObject({ code: 1, ran: [tables] })
    expect(await run(goodFacts(), { isDry: true })).toMatchObject({
      code: 0,
      ran: ['deploy --dry-run --env production'],
    })
  })
})
