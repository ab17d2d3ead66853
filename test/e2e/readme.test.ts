// Runs the code of the README, of the quick starts and of docs/accounts.md, and compares its output with what they show.
// demo-year.release.test.ts runs the quick start that needs a year of calls.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { newCredentials, signUp } from '../../scripts/local/sign-up-people.ts'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { codeBlocksOf, expectShown, hasPythonPackage, runBlock } from '../support/e2e/document-blocks.ts'
import { startIssuer, type Issuer } from '../support/e2e/oauth/issuer.ts'

const README = readFileSync('README.md', 'utf8')

let emulator: Emulator
let mails: CollectedMails
let issuer: Issuer
let service: Deployment
let env: Record<string, string>
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
  // As npm start does: GATEWAY_KEY is a key of the organisation whose owner is EMAIL.
  const person = newCredentials('readme')
  const target = { url: service.url, origin: service.url }
  const { organisationId } = await signUp(target, mails.mailbox, person, 'A practice')
  await service.operate('PATCH', `/organisations/${organisationId}`, { tier: 'pro' })
  const wanted = { prefix: 'aqta_', name: 'Gateway' }
  const keysPath = `/organisations/${organisationId}/keys`
  env = {
    URL: service.url,
    EMAIL: person.email,
    PASSWORD: person.password,
    KEY: (await service.createKey()).key,
    LIVE_KEY: (await service.createKey({ prefix: 'vk_live_' })).key,
    GATEWAY_KEY: (await service.operate<{ key: string }>('POST', keysPath, wanted)).key,
    OPERATOR_TOKEN: service.operatorToken,
  }
})
afterAll(async () => {
  await service.close()
  await Promise.all([emulator.close(), mails.close(), issuer.close()])
})

const QUICK_STARTS = globSync('docs/start-*.md').toSorted()

const hasPython = hasPythonPackage()

describe.each([
  ['README.md', 4],
  ['docs/start-developer.md', 4],
  ['docs/start-gp-software.md', 7],
  ['docs/start-operator.md', 3],
  ['docs/start-owner.md', 6],
])('%s', (document, atLeast) => {
  const blocks = codeBlocksOf(document)
  const canRun = ({ language }: { language: string }): boolean => language !== 'python' || hasPython

  it('has code for each step', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(atLeast)
  })

  it.each(blocks.filter(canRun))('$code', async (block) => {
    const here = { ...block, code: block.code.replaceAll('http://127.0.0.1:8787', service.url) }
    const printed = await runBlock(here, { folder: workFolder, env })
    expectShown(block, printed)
  })

  it.skip.each(blocks.filter((block) => !canRun(block)))('needs a PYTHON that has the package openai: $code', () => {})
})

describe('the quick starts', () => {
  it('are five', () => {
    const readers = QUICK_STARTS.map((document) => basename(document, '.md'))
    expect(readers).toEqual(['compliance', 'developer', 'gp-software', 'operator', 'owner'].map((of) => `start-${of}`))
  })

  it.each(QUICK_STARTS)('%s has at most 400 words and four links at its end', (document) => {
    const text = readFileSync(document, 'utf8')
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(400)
    const [, next = ''] = text.split('\n## Next\n')
    expect(next.match(/^- /gm)?.length).toBeLessThanOrEqual(4)
  })
})

describe('the README', () => {
  it('has at most 120 lines', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
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
    const variables: Record<string, string | undefined> = { ...process.env, URL: service.url }
    const run = async (line: string) =>
      (await promisify(execFile)('sh', ['-c', line], { env: variables, cwd: folder })).stdout

    for (const line of lines.toSorted((one, other) => rank(one) - rank(other))) {
      const token = line.includes('verify-email') ? await mails.tokenFor('ann@hospital.example', 'confirm') : ''
      const answer = await run(line.replace('…', token))
      expect(answer, line).not.toContain('"error"')
      for (const [path, name, within] of shown) if (line.includes(path)) variables[name] = within.exec(answer)?.[1]
      if (line.includes('/api/auth/login'))
        variables['MANAGEMENT_KEY'] = await makeManagementKey(variables['SESSION'] ?? '')
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
