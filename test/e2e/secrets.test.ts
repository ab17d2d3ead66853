// npm run secrets: what it makes into which file, what it refuses, and that nobody sees a secret.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runAttestationKey } from '../../scripts/attestation-key.ts'
import { readSetting } from '../../scripts/attestation-key/key-storage.ts'
import { findNeededSecrets } from '../../scripts/needed-secrets.ts'
import { findOperatorTarget } from '../../scripts/operator/operator-client.ts'
import { runSecrets } from '../../scripts/secrets.ts'
import { LOG_KEY_SETTINGS, readConfiguredKeys } from '../../src/evidence/records/configured-keys.ts'
import { readConfig } from '../../src/platform/config.ts'

const VARS = `ENVIRONMENT = "production"
PUBLIC_ORIGIN = "https://countersign.example"
JURISDICTIONS = "on"
ATTESTATION_KEYS = '[]'
LOG_KEYS = '[]'
`
const TOML = `name = "invented"
account_id = "0123456789abcdef0123456789abcdef"

[env.staging.vars]
ENVIRONMENT = "staging"

[env.production.vars]
${VARS}`

const OLD = 'the-present-token-0123456789-abcdefgh'
const PEPPER = `1:${'0123456789abcdef'.repeat(3)}fedcba9876543210`

let folder: string
let config: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  config = join(folder, 'wrangler.toml')
  file = join(folder, 'secrets.production.env')
  writeFileSync(config, TOML)
  vi.stubEnv('OPERATOR_TOKEN', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const read = (path: string): string => readFileSync(path, 'utf8')
const secretsIn = (path: string) => parseEnv(read(path))
const give = (text: string): void => writeFileSync(file, text, { mode: 0o600 })
const git = (...args: string[]) => expect(spawnSync('git', args, { cwd: folder }).status).toBe(0)
const historyOf = (setting: string): string => readSetting(read(config), 'production', setting) ?? ''

async function command(...args: string[]) {
  const said = { stdout: '', stderr: '' }
  const status = await runSecrets(['--config', config, '--file', file, ...args], {
    print: (text) => (said.stdout += `${text}\n`),
    report: (text) => (said.stderr += `${text}\n`),
  })
  if (existsSync(file) && statSync(file).isFile()) expectHidden(said)
  return { status, ...said }
}

function expectHidden(said: object | string): void {
  const values = Object.values(secretsIn(file)).flatMap((text) => text?.split(',') ?? [])
  for (const value of values.filter((one) => one !== '')) expect(JSON.stringify(said)).not.toContain(value)
}

const production = (...args: string[]) => command('--env', 'production', ...args)

async function expectRefused(reason: RegExp, ...args: string[]): Promise<void> {
  const before = [read(config), existsSync(file) && statSync(file).isFile() ? read(file) : null]
  const { status, stdout, stderr } = await production(...args)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(reason)
  expect([read(config), existsSync(file) && statSync(file).isFile() ? read(file) : null]).toEqual(before)
}

describe('what is missing', () => {
  it('is made as the service needs it', async () => {
    const { status, stdout, stderr } = await production()
    expect([status, stderr]).toEqual([0, ''])
    const secrets = secretsIn(file)
    expect(read(file)).not.toContain('$')
    expect(read(file)).toMatch(/^# Secrets of the production deployment\. Keep a copy offline: a lost pepper .*\n/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const settings = {
      ENVIRONMENT: 'production',
      JURISDICTIONS: 'on',
      PUBLIC_ORIGIN: 'https://countersign.example',
      ATTESTATION_KEYS: historyOf('ATTESTATION_KEYS'),
      LOG_KEYS: historyOf('LOG_KEYS'),
      ...secrets,
    }
    expect(readConfig(settings).operatorTokens).toHaveLength(1)
    for (const names of [undefined, LOG_KEY_SETTINGS]) {
      const { keys, wrong } = readConfiguredKeys(settings, names)
      expect(wrong).toEqual([])
      expect(keys?.seeds.size).toBe(1)
      for (const key of keys?.seeds.keys() ?? []) expect(stdout).toContain(key)
    }
    expect(readdirSync(folder).toSorted()).toEqual(['secrets.production.env', 'wrangler.toml'])
    expect(stdout).toContain('  OPENAI_API_KEY  (reader A is gpt-4.1-mini)\n  GOOGLE_API_KEY  (reader B is')
    expect(stdout).toContain(`Next: npm run rehearse -- --env production --secrets ${file}`)
  })

  it('is missing once: a second run changes no byte', async () => {
    await production()
    const before = [read(file), read(config)]
    const { status, stdout } = await production()
    expect(status).toBe(0)
    expect(stdout).toContain('No secret and no key was missing')
    expect([read(file), read(config)]).toEqual(before)
  })

  it('comes beside what is there, also behind what a killed run left', async () => {
    give(`export KEY_PEPPERS="${PEPPER}"\nOPENAI_API_KEY=sk-invented-0123456789`)
    writeFileSync(`${file}.new`, 'KEY_PEP')
    const { stdout } = await production()
    expect(read(file)).toContain(
      `export KEY_PEPPERS="${PEPPER}"\nOPENAI_API_KEY=sk-invented-0123456789\nOPERATOR_TOKEN='`,
    )
    expect(stdout).not.toContain('OPENAI_API_KEY')
    expect(existsSync(`${file}.new`)).toBe(false)
  })

  it('is stored before wrangler.toml names its key, and used if the run ends between the two', async () => {
    // The files are written beside: to a name that is taken here.
    mkdirSync(`${file}.new`)
    await expect(production()).rejects.toThrow(`${file}.new`)
    expect([existsSync(file), read(config)]).toEqual([false, TOML])
    rmdirSync(`${file}.new`)
    mkdirSync(`${config}.new`)
    await expect(production()).rejects.toThrow(`${config}.new`)
    expect(read(config)).toBe(TOML)
    const stored = secretsIn(file)
    expect(Object.keys(stored)).toHaveLength(3)
    rmdirSync(`${config}.new`)
    await production()
    expect(secretsIn(file)).toMatchObject(stored)
    expect(Object.keys(secretsIn(file))).toHaveLength(4)
    expect(readConfiguredKeys({ ATTESTATION_KEYS: historyOf('ATTESTATION_KEYS'), ...stored }).wrong).toEqual([])
  })

  it('follows a link to the file', async () => {
    const target = join(folder, 'elsewhere.env')
    writeFileSync(target, '', { mode: 0o600 })
    symlinkSync(target, file)
    await production()
    expect(Object.keys(secretsIn(target))).toHaveLength(4)
  })
})

describe('what is refused, changing nothing', () => {
  it.each([0o640, 0o604, 0o660])('a file of mode %o', async (mode) => {
    give('')
    chmodSync(file, mode)
    await expectRefused(/Run chmod 600/)
  })

  it('a folder as the file, and a file without a folder', async () => {
    mkdirSync(file)
    await expectRefused(/is not a file/)
    await expectRefused(/There is no folder/, '--file', join(folder, 'none/secrets.env'))
  })

  it('a file that git tracks or does not ignore', async () => {
    git('init', '--quiet')
    await expectRefused(/git does not ignore .*\.gitignore/)
    give('')
    git('add', 'secrets.production.env')
    writeFileSync(join(folder, '.gitignore'), 'secrets.*.env*\n')
    await expectRefused(/git tracks .*git rm --cached/)
    git('rm', '--quiet', '--cached', 'secrets.production.env')
    expect((await production()).status).toBe(0)
  })

  it.each([
    ['a half-written pepper', `KEY_PEPPERS='1:0123`, /KEY_PEPPERS/],
    ['an empty token', 'OPERATOR_TOKEN=', /OPERATOR_TOKEN/],
    ['a typed token', `OPERATOR_TOKEN=${'ab'.repeat(20)}`, /OPERATOR_TOKEN/],
  ])('%s', async (_, text, reason) => {
    give(text)
    await expectRefused(reason)
  })

  it.each([
    [
      'a history that is none',
      TOML.replace("LOG_KEYS = '[]'", "LOG_KEYS = 'x'"),
      /LOG_KEYS of production is not a list/,
    ],
    ['a history in other quotes', TOML.replace("LOG_KEYS = '[]'", 'LOG_KEYS = "[]"'), /Add the line LOG_KEYS = '\[\]'/],
    ['settings that are none', `${TOML}READER_SAMPLES = "99"\n`, /READER_SAMPLES/],
    ['a file of settings that cannot be read', `${TOML}READER_SAMPLES = \n`, /cannot be read/],
    [
      'an environment that the file lacks',
      TOML.replace('env.production', 'env.other'),
      /under \[env\.production\.vars\]/,
    ],
  ])('%s', async (_, toml, reason) => {
    writeFileSync(config, toml)
    await expectRefused(reason)
  })

  it('a file of settings that is not there', async () => {
    await expectRefused(/There is no file/, '--config', join(folder, 'none.toml'))
  })

  it('keys whose seeds or pepper the account may have', async () => {
    await production()
    const whole = read(file)
    const without = (name: RegExp) => give(whole.replace(new RegExp(`^${name.source}.*\\n`, 'm'), ''))
    without(/LOG_SEED_/)
    await expectRefused(/nothing that fits for LOG_SEED_\w+\.\n[^]*attestation-key -- create/)
    without(/KEY_PEPPERS/)
    await expectRefused(/nothing that fits for KEY_PEPPERS\./)
    give(whole.replace(/^(ATTESTATION_SEED_\w+)='.*'$/m, `$1='${'ab'.repeat(32)}'`))
    await expectRefused(/nothing that fits for ATTESTATION_SEED_/)
    rmSync(file)
    await expectRefused(/nothing that fits for KEY_PEPPERS, ATTESTATION_SEED_\w+, LOG_SEED_/)
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ['no environment', []],
    ['an unknown environment', ['--env', 'local']],
    ['an unknown option', ['--env', 'production', '--force']],
    ['an argument', ['production']],
    ['two steps at once', ['--env', 'production', '--new-operator-token', '--end-old-operator-token']],
  ])('%s, as not understood', async (_, args) => {
    expect(await command(...args)).toMatchObject({ status: 2, stdout: '' })
    expect([existsSync(file), read(config)]).toEqual([false, TOML])
  })
})

describe('the operator’s token', () => {
  it('is replaced in two steps that change nothing else', async () => {
    await production()
    const before = read(file)
    const old = secretsIn(file)['OPERATOR_TOKEN'] ?? ''
    expect((await production('--new-operator-token')).stdout).toContain(`--file ${file} --end-old-operator-token`)
    const both = secretsIn(file)['OPERATOR_TOKEN'] ?? ''
    expect(both).toMatch(new RegExp(`^[\\w-]{43},${old}$`))
    expect(read(file)).toBe(before.replace(old, both))
    vi.stubEnv('OPERATOR_TOKEN', both)
    const { token } = findOperatorTarget({ remote: true, url: 'https://countersign.example' })
    await expectRefused(/NEW,OLD already/, '--new-operator-token')
    expect((await production('--end-old-operator-token')).status).toBe(0)
    expect(read(file)).toBe(before.replace(old, token))
    expect((await production('--end-old-operator-token')).stdout).toContain('Nothing was changed')
  })

  it('comes from the shell where the file has none, and nothing else is made', async () => {
    await expectRefused(/Set the variable OPERATOR_TOKEN/, '--new-operator-token')
    await expectRefused(/Set the variable OPERATOR_TOKEN/, '--end-old-operator-token')
    vi.stubEnv('OPERATOR_TOKEN', OLD)
    expect((await production('--new-operator-token')).status).toBe(0)
    expect(Object.keys(secretsIn(file))).toEqual(['OPERATOR_TOKEN'])
    expect(secretsIn(file)['OPERATOR_TOKEN']).toMatch(new RegExp(`,${OLD}$`))
    expect(read(config)).toBe(TOML)
  })

  it.each([
    ['short', 'short'],
    ['with a blank', `${OLD} x`],
    ['with a quote', `${OLD}'`],
  ])('is not kept if it is %s', async (_, token) => {
    vi.stubEnv('OPERATOR_TOKEN', token)
    await expectRefused(/OPERATOR_TOKEN/, '--new-operator-token')
  })

  it('is not replaced where the file has it twice', async () => {
    give(`OPERATOR_TOKEN=${OLD}\nOPERATOR_TOKEN=${OLD}-second\n`)
    await expectRefused(/cannot be written/, '--new-operator-token')
  })
})

describe('--put', () => {
  type Received = { method: string | undefined; url: string | undefined; body: string }
  let received: Received[]
  let status: number
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ method: request.method, url: request.url, body })
      // The fault repeats what was sent.
      const errors = status === 200 ? [] : [{ code: 10_000, message: `Refused: ${body}` }]
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ success: status === 200, errors, messages: [], result: {} }))
    })
  })
  beforeEach(async () => {
    received = []
    status = 200
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    vi.stubEnv('CLOUDFLARE_API_TOKEN', 'invented-token-of-the-account')
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  it('sends all of the file to the account, and to nobody else', async () => {
    give("OPENAI_API_KEY='sk-$HOME-0123456789'\n")
    const { status: code, stdout } = await production('--put')
    expect(code).toBe(0)
    expect(stdout).toContain(`The account has all of ${file} now.`)
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PATCH /accounts/0123456789abcdef0123456789abcdef/workers/scripts/invented-production/secrets-bulk',
    ])
    const secrets = Object.entries(secretsIn(file)).map(
      ([name, text]) => [name, { name, text, type: 'secret_text' }] as const,
    )
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ secrets: Object.fromEntries<object>(secrets) })
  })

  it('says why the account refused, without the secrets that the answer repeats', async () => {
    status = 400
    const { status: code, stderr } = await production('--put')
    expect(code).toBe(1)
    expect(stderr).toMatch(/wrangler did not put the secrets[^]*Refused: /)
  })
})

describe('what a person has to get', () => {
  const SETTINGS = { ENVIRONMENT: 'staging', JURISDICTIONS: 'on', PUBLIC_ORIGIN: 'https://countersign.example' }
  const PROVIDER = { label: 'Invented', issuer: 'https://id.example', client_id: 'x', email_trust: 'verified' }

  it('follows the settings', () => {
    const settings = {
      ...SETTINGS,
      READERS_DATA_REGION: 'eea_ch',
      MAILER: 'http',
      MAIL_FROM: 'service@countersign.example',
      MAILER_URL: 'https://mail.example',
      OAUTH_PROVIDERS: JSON.stringify([{ ...PROVIDER, id: 'one-two' }]),
    }
    const names = findNeededSecrets(settings).map(({ name }) => name)
    expect(names).toEqual([
      'MAILER_KEY',
      'OAUTH_SECRET_ONE_TWO',
      'OPENAI_EU_API_KEY',
      expect.stringMatching(/_API_KEY$/),
    ])
    const given = Object.fromEntries(names.map((name) => [name, 'invented']))
    expect(findNeededSecrets({ ...settings, ...given })).toEqual([])
  })

  it('is not known while another setting is wrong', () => {
    expect(() => findNeededSecrets({ ...SETTINGS, MAILER: 'http' })).toThrow('MAIL_FROM')
    expect(() => findNeededSecrets({ ...SETTINGS, READER_A_MODEL: 'none' })).toThrow('READER_A_MODEL')
  })
})

it('a later key’s seed goes into the same file', async () => {
  await production()
  const line = ['create', '--log', '--env', 'production', '--config', config, '--secrets']
  let said = ''
  const output = { print: (text: string) => void (said += text), report: (text: string) => void (said += text) }
  expect(runAttestationKey([...line, file], output)).toBe(0)
  expectHidden(said)
  expect(said).toContain(`npm run deploy -- --env production --secrets ${file}`)
  expect(readConfiguredKeys({ LOG_KEYS: historyOf('LOG_KEYS'), ...secretsIn(file) }, LOG_KEY_SETTINGS).wrong).toEqual(
    [],
  )
  chmodSync(file, 0o644)
  const before = read(config)
  expect(runAttestationKey([...line, file], output)).toBe(1)
  expect(read(config)).toBe(before)
})
