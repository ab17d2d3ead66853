// Runs the commands of the README, docs/getting-started.md and docs/accounts.md, and compares their answers with those shown.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { newCredentials, signUp } from '../../scripts/local/sign-up-people.ts'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, postJson, type Deployment } from '../support/e2e/deployment.ts'
import { startIssuer, type Issuer } from '../support/e2e/oauth/issuer.ts'

const README = readFileSync('README.md', 'utf8')

/** Each block of commands, with the JSON block that follows it. */
const commandsIn = (text: string) =>
  [...text.matchAll(/```sh\n((?:curl|TEXT=) ?[\s\S]*?)\n```(?:\s*```json\n([\s\S]*?)\n```)?/g)].map(
    ([, command = '', shown]) => ({ command, shown: shown === undefined ? null : (JSON.parse(shown) as object) }),
  )

let emulator: Emulator
let mails: CollectedMails
let issuer: Issuer
let service: Deployment
let keys: Record<string, string>
/** The commands leave cookies and files in it. */
const workFolder = join(tmpdir(), `countersign-readme-${process.pid}`)
beforeAll(async () => {
  mkdirSync(workFolder)
  emulator = await startEmulator()
  ;[mails, issuer] = await Promise.all([collectMails(), startIssuer()])
  const microsoft = { id: 'microsoft', label: 'Microsoft', issuer: issuer.url, client_id: 'ours', email_trust: 'entra' }
  service = await deploy({
    emulator,
    vars: { ...mails.settings, OAUTH_PROVIDERS: JSON.stringify([microsoft]) },
    secrets: { OAUTH_SECRET_MICROSOFT: 'client-secret-for-tests-only' },
  })
  const person = newCredentials('readme')
  await signUp({ url: service.url, origin: service.url }, mails.mailbox, person, 'A practice')
  const organisation = { name: 'A practice', tier: 'pro', enabled_providers: ['openai'] }
  const { id } = await service.operate<{ id: string }>('POST', '/organisations', organisation)
  const wanted = { prefix: 'aqta_', name: 'Gateway' }
  keys = {
    EMAIL: person.email,
    PASSWORD: person.password,
    KEY: (await service.createKey()).key,
    LIVE_KEY: (await service.createKey({ prefix: 'vk_live_' })).key,
    GATEWAY_KEY: (await service.operate<{ key: string }>('POST', `/organisations/${id}/keys`, wanted)).key,
  }
  const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Say good morning.' }] }
  const answer = await service.fetch('/v1/chat/completions', postJson(keys['GATEWAY_KEY'] ?? '', body))
  keys['ATTESTATION_ID'] = answer.headers.get('x-aqta-attestation-id') ?? ''
})
afterAll(async () => {
  await service.close()
  await Promise.all([emulator.close(), mails.close(), issuer.close()])
})

describe.each([
  ['README.md', 3],
  ['docs/getting-started.md', 13],
])('%s', (document, atLeast) => {
  const commands = commandsIn(readFileSync(document, 'utf8'))

  it('shows a command for each job', () => {
    expect(commands.length).toBeGreaterThanOrEqual(atLeast)
  })

  it.each(commands)('$command', async ({ command, shown }) => {
    const here = command.replaceAll('http://127.0.0.1:8787', service.url)
    const env = { ...process.env, ...keys, URL: service.url }
    const { stdout } = await promisify(execFile)('sh', ['-c', here], {
      env,
      cwd: command.includes('./data/') ? '.' : workFolder,
    })
    if (command.includes('bundle.json')) return
    const answer: unknown = JSON.parse(stdout)
    if (shown !== null) expect(answer).toMatchObject(shown)
    else expect(answer).not.toHaveProperty('error')
  })
})

describe('the README and docs/contributing.md', () => {
  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const text = README + readFileSync('docs/contributing.md', 'utf8')
    const named = Array.from(text.matchAll(/npm run ([\w:-]+)/g), ([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('docs/accounts.md', () => {
  const accounts = readFileSync('docs/accounts.md', 'utf8')
  const lines = [...accounts.matchAll(/```sh\n(curl [\s\S]*?)\n```/g)].flatMap(([, block = '']) =>
    block.split(/\n+(?=curl )/),
  )
  /** Values in the responses to some lines that later lines need. */
  const shown: [path: string, name: string, within: RegExp][] = [
    ['/api/auth/login', 'SESSION', /__Host-session=([\w-]+)/],
    ['/api/keys"', 'KEY_ID', /"id":"(key_[\w-]+)"/],
  ]
  /** An erasure leaves nothing to show, and once there is another organisation the lines have to name the one that they mean. */
  const rank = (line: string): number =>
    ['/api/settings/erasure', '/api/organisations'].findIndex((path) => line.includes(path))

  it('shows lines that work one after the other, for somebody who signs up', async () => {
    expect(lines.length).toBeGreaterThanOrEqual(13)
    const folder = join(tmpdir(), `countersign-accounts-${process.pid}`)
    mkdirSync(folder)
    const env: Record<string, string | undefined> = { ...process.env, URL: service.url }
    const run = async (line: string) => (await promisify(execFile)('sh', ['-c', line], { env, cwd: folder })).stdout

    for (const line of lines.toSorted((one, other) => rank(one) - rank(other))) {
      const token = line.includes('verify-email') ? await mails.tokenFor('ann@hospital.example', 'confirm') : ''
      const answer = await run(line.replace('…', token))
      expect(answer, line).not.toContain('"error"')
      for (const [path, name, within] of shown) if (line.includes(path)) env[name] = within.exec(answer)?.[1]
      if (line.includes('/api/auth/login')) env['MANAGEMENT_KEY'] = await makeManagementKey(env['SESSION'] ?? '')
    }
    const exports = readdirSync(folder).filter((name) => name.startsWith('countersign-'))
    expect(exports.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      expect.stringContaining('"complete":true'),
      expect.stringContaining('complete,'),
    ])
  })

  async function makeManagementKey(session: string): Promise<string> {
    const made = await service.fetch('/api/keys', {
      method: 'POST',
      headers: {
        origin: service.url,
        cookie: `__Host-session=${session}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'For a program', scopes: ['chat', 'manage'] }),
    })
    return ((await made.json()) as { key: string }).key
  }
})
