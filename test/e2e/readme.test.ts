// Runs the commands of the README and of the published documents, and compares their output with what they show.
// demo-year.release.test.ts runs the quick start that needs invented calls.
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emulatedProviders } from '../../scripts/local/emulated-providers.ts'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../scripts/local/servers/webhook-receiver.ts'
import { newCredentials, signUp } from '../../scripts/local/sign-up-people.ts'
import { PUBLISHED_DOCUMENTS } from '../../scripts/pages/published-documents.ts'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { changedConfig, deploy, type Deployment } from '../support/e2e/deployment.ts'
import { codeBlocksOf, expectShown, hasPythonPackage, runBlock } from '../support/e2e/document-blocks.ts'
import { startIssuer, type Issuer } from '../support/e2e/oauth/issuer.ts'

const README = readFileSync('README.md', 'utf8')

let emulator: Emulator
let mails: CollectedMails
let issuer: Issuer
let receiver: WebhookReceiver
let service: Deployment
/** Variables that all documents share. */
let shared: Record<string, string>
/** The commands leave cookies and files in it. */
const workFolder = join(tmpdir(), `countersign-documents-${process.pid}`)
beforeAll(async () => {
  emulator = await startEmulator({ record: true })
  ;[mails, issuer, receiver] = await Promise.all([collectMails(), startIssuer(), startWebhookReceiver()])
  const microsoft = { id: 'microsoft', label: 'Microsoft', issuer: issuer.url, client_id: 'ours', email_trust: 'entra' }
  mkdirSync(workFolder)
  service = await deploy({
    // More people sign up from this network than it lets in.
    config: changedConfig(workFolder, (toml) =>
      toml.replaceAll('limit = 30, period = 60', 'limit = 3000, period = 60'),
    ),
    vars: {
      ...emulatedProviders(emulator.url),
      ...mails.settings,
      OAUTH_PROVIDERS: JSON.stringify([microsoft]),
      WEBHOOK_LOOPBACK: 'on',
      DNS_OVER_HTTPS_URL: `${receiver.url}/dns-query`,
    },
    secrets: { OAUTH_SECRET_MICROSOFT: 'client-secret-for-tests-only' },
  })
  shared = {
    URL: service.url,
    KEY: (await service.createKey()).key,
    LIVE_KEY: (await service.createKey({ prefix: 'vk_live_' })).key,
    EMULATOR: emulator.url,
    RECEIVER: receiver.url,
    MAILBOX: mails.mailbox.url,
    OPERATOR_TOKEN: service.operatorToken,
  }
})
afterAll(async () => {
  await service.close()
  await Promise.all([emulator.close(), mails.close(), issuer.close(), receiver.close()])
})

/** Returns the variables of a document, which has an organisation of its own, on the tier Healthcare. */
async function variablesFor(document: string): Promise<Record<string, string>> {
  // The exact limits of the network are counted there.
  await (await service.env()).DB.exec('DELETE FROM attempts')
  const person = newCredentials(basename(document, '.md').toLowerCase())
  const target = { url: service.url, origin: service.url }
  const { organisationId } = await signUp(target, mails.mailbox, person, 'A practice')
  await service.operate('PATCH', `/organisations/${organisationId}`, { tier: 'healthcare' })
  const createKey = async (name: string, scopes: readonly string[]): Promise<string> => {
    const wanted = { prefix: 'aqta_', name, scopes }
    return (await service.operate<{ key: string }>('POST', `/organisations/${organisationId}/keys`, wanted)).key
  }
  return {
    ...shared,
    EMAIL: person.email,
    PASSWORD: person.password,
    GATEWAY_KEY: await createKey('Gateway', ['chat']),
    MANAGEMENT_KEY: await createKey('Management', ['chat', 'manage']),
  }
}

const QUICK_STARTS = globSync('docs/start-*.md').toSorted()

const hasPython = hasPythonPackage()

/** Documents whose programs in other languages need input: tests of their own run them. Their commands run here. */
const OWN_PROGRAMS = new Set(['docs/check-by-hand.md', 'docs/check-records.md', 'docs/receive-webhooks.md'])

/** Documents with commands. demo-year.release.test.ts runs the one that needs them. */
const DOCUMENTS = ['README.md', ...PUBLISHED_DOCUMENTS.map((name) => `docs/${name}.md`)]
  .filter((document) => document !== 'docs/start-compliance.md')
  .map((document) => {
    const all = codeBlocksOf(document)
    const blocks = OWN_PROGRAMS.has(document) ? all.filter(({ language }) => language === 'sh') : all
    return [document, blocks] as const
  })
  .filter(([, blocks]) => blocks.length > 0)

describe.each(DOCUMENTS)('%s', (document, blocks) => {
  const folder = join(workFolder, basename(document, '.md'))
  let env: Record<string, string>
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    env = await variablesFor(document)
  })

  it.for(blocks)('$code', async (block, { skip }) => {
    skip(block.language === 'python' && !hasPython, 'needs a PYTHON that has the package openai')
    const here = { ...block, code: block.code.replaceAll('http://127.0.0.1:8787', service.url) }
    const printed = await runBlock(here, { folder, env })
    expectShown(block, printed)
  })
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

describe('the README and the documents for contributors', () => {
  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const text = README + readFileSync('CONTRIBUTING.md', 'utf8') + readFileSync('docs/testing.md', 'utf8')
    const named = Array.from(text.matchAll(/npm run ([\w:-]+)/g), ([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
