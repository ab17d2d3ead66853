// The README's commands work as they stand, and what it shows of their answers is what comes back.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { newCredentials, signUp } from '../../scripts/local/people.ts'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, postJson, type Deployment } from '../support/e2e/deployment.ts'

const README = readFileSync('README.md', 'utf8')

/** Each `curl` block, with the JSON block that follows it, if one does. */
const commands = [...README.matchAll(/```sh\n(curl [\s\S]*?)\n```(?:\s*```json\n([\s\S]*?)\n```)?/g)].map(
  ([, command = '', shown]) => ({ command, shown: shown === undefined ? null : (JSON.parse(shown) as object) }),
)

let emulator: Emulator
let mails: CollectedMails
let service: Deployment
let keys: Record<string, string>
const cookies = join(tmpdir(), `countersign-readme-${process.pid}.txt`)
beforeAll(async () => {
  emulator = await startEmulator()
  mails = await collectMails()
  service = await deploy({ emulator, vars: mails.settings })
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
  await Promise.all([emulator.close(), mails.close()])
})

describe('the README', () => {
  it('shows a command for each job', () => {
    expect(commands.length).toBeGreaterThanOrEqual(11)
  })

  it.each(commands)('$command', async ({ command, shown }) => {
    const here = command.replaceAll('http://127.0.0.1:8787', service.url).replaceAll('cookies.txt', cookies)
    const { stdout } = await promisify(execFile)('sh', ['-c', here], { env: { ...process.env, ...keys } })
    const answer: unknown = JSON.parse(stdout)
    if (shown === null) expect(answer).not.toHaveProperty('error')
    else expect(answer).toMatchObject(shown)
  })

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const named = [...README.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('links between documents', () => {
  const documents = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))]
  it.each(documents)('%s leads only to files that exist', (document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => !existsSync(join(dirname(document), link)))).toEqual([])
  })
})
