// npm start as a newcomer meets it: what it prints can be pasted, a second start keeps the state, and whatever ends it, nothing
// of it is left.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDevVars } from '../../scripts/local/dev-vars.ts'
import { readPemCertificates } from '../../scripts/verify/certificate.ts'
import { checkTimestampToken } from '../../scripts/verify/verify-timestamp.ts'
import { hourOf } from '../../src/public-log/checkpoint-timestamps.ts'
import { parseTimestampedCheckpoint } from '../../src/evidence/timestamp/timestamp-token.ts'
import type { JsonObject } from '../../src/platform/json.ts'
import {
  descendantsOf,
  END_OF_WORKER,
  leftOf,
  freePort,
  startLocally,
  type LocalRun,
} from '../support/e2e/local-start.ts'
import { until } from '../support/until.ts'

let folder: string
let port: number
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-start-'))
  port = await freePort()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (command?: string[]): Promise<LocalRun> => startLocally({ folder, port, command })

const keyIn = ({ printed }: LocalRun): string | undefined => /vk_test_\w+/.exec(printed)?.[0]

/** The e-mail address and password of the owner on each tier. */
const peopleIn = ({ printed }: LocalRun): string[] => printed.match(/\S+@practice\.example {2}\S+/g) ?? []

const ANNOUNCED = /\nMail to me@practice\.example: [^\n]+\n {2}http:\/\/127\.0\.0\.1:\d+\/confirm#[\w-]{43}\n/

/** Somebody signs up; resolves when the mailbox has the mail. */
async function announceMail({ printed }: LocalRun): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  const body = { email: 'me@practice.example', password: 'a wet morning in spring', name: 'Me' }
  await fetch(`${url}/api/auth/signup`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const [mailbox = ''] = /(?<=\n {2}mailbox +)http\S+/.exec(printed) ?? []
  const hasMail = async () => (await (await fetch(`${mailbox}/mails?to=${body.email}`)).text()).includes('confirm#')
  await until('the mail arrives', hasMail, (has) => has)
}

const operate = (command: string, ...options: string[]) =>
  promisify(execFile)('node', ['scripts/operator.ts', command, ...options, '--url', `http://127.0.0.1:${port}`], {
    env: { ...process.env, OPERATOR_TOKEN: readDevVars(join(folder, 'dev.vars'))['OPERATOR_TOKEN'] },
  }).catch((failed: { code: number; stderr: string; stdout: string }) => failed)

/** They found an organisation, issue a key that works, show it, and revoke it. */
async function expectCommandsToWork(): Promise<void> {
  const json = async (script: string, ...options: string[]) =>
    JSON.parse((await operate(script, ...options, '--json')).stdout) as Record<string, string>
  const { id: org = '' } = await json('orgs', 'create', '--name', 'A practice', '--tier', 'starter')
  expect(await json('orgs', 'set', org, '--tier', 'pro')).toMatchObject({ id: org, tier: 'pro' })
  const first = ['--org', org, '--email', 'first@example.org', '--role', 'owner']
  expect(await json('orgs', 'invite', ...first)).toMatchObject({ email: 'first@example.org', role: 'owner' })
  const issue = ['create', '--org', org, '--prefix', 'vk_test_', '--name', 'Front desk', '--per-minute', '5']
  const { id = '', key = '' } = await json('keys', ...issue)
  const call = () => fetch(`http://127.0.0.1:${port}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)
  expect((await operate('keys', 'list', '--org', org)).stdout).toContain(id)
  expect((await json('keys', 'show', '--org', org, id))['requests_per_minute']).toBe(5)
  expect((await json('keys', 'revoke', '--org', org, id))['revoked_at']).toMatch(/^\d{4}-/)
  expect((await call()).status).toBe(401)
  expect(await operate('keys', 'show', '--org', org, 'key_none')).toMatchObject({ code: 1 })
}

/** Sends the signal, and returns all that was printed. Either signal counts as asked for: exit code 0. */
async function endBy(signal: 'SIGINT' | 'SIGHUP', { pid, ended }: LocalRun): Promise<string> {
  const pids = await descendantsOf(pid)
  process.kill(pid, signal)
  const { code, printed } = await ended
  expect([code, END_OF_WORKER.test(printed)]).toEqual([0, false])
  expect(await leftOf(pids, port)).toEqual([])
  return printed
}

/** The local authority has stamped the checkpoint of this hour, and its certificate is where it is printed to be. */
async function expectTimestamp({ printed }: LocalRun): Promise<void> {
  const [file = ''] = /(?<=its certificate is )\S+/.exec(printed) ?? []
  const authorities = readPemCertificates(await readFile(file)) ?? []
  const fetchLatest = async (): Promise<JsonObject | null> => {
    const hours = [Date.now(), Date.now() - 3_600_000].map(hourOf)
    const answers = await Promise.all(
      hours.map((hour) => fetch(`http://127.0.0.1:${port}/v1/public/transparency/timestamps/${hour}`)),
    )
    const found = answers.find(({ ok }) => ok)
    return found === undefined ? null : ((await found.json()) as JsonObject)
  }
  const stamped = await until('a checkpoint is stamped', fetchLatest, (latest) => latest !== null)
  const { checkpoint = '', token = new Uint8Array() } = parseTimestampedCheckpoint(stamped ?? {}) ?? {}
  expect(checkTimestampToken(token, Buffer.from(checkpoint), { authorities, freshness: null })).toMatchObject({
    valid: true,
  })
}

/** The line that checks the log's checkpoint, once a checkpoint was cosigned in time. */
async function expectCheckpoint({ printed }: LocalRun): Promise<void> {
  const [line = ''] = /^npx countersign-verify .+$/m.exec(printed) ?? []
  const check = () =>
    promisify(execFile)('sh', ['-c', line]).catch((failed: { code: number; stdout: string }) => failed)
  const isCosigned = (ran: object): boolean => !('code' in ran && ran.code === 1)
  const checked = await until('a checkpoint is cosigned in time', check, isCosigned)
  expect(checked.stdout).toMatch(/^valid +checkpoint +localhost[^]*\nvalid +witnesses +1 of at least 1/)
}

/** A build of the pages, by whomever, takes none away: the Worker has its own. */
async function expectOwnPages(): Promise<void> {
  await writeFile(join(folder, 'state', 'pages', 'own.txt'), 'own')
  const page = () => fetch(`http://127.0.0.1:${port}/own.txt`)
  await until('the Worker serves its own page', page, ({ ok }) => ok)
}

/** Runs a command line. Retries on `conflict`, because an earlier response was still being stored. */
async function paste(line: string): Promise<string> {
  const run = async () => (await promisify(execFile)('sh', ['-c', line])).stdout
  return until(line, run, (stdout) => !stdout.includes('"code":"conflict"'))
}

describe('npm start', () => {
  it('prints lines that work when they are pasted, keeps its keys and figures over a second start, and ends cleanly', async () => {
    const first = await start()
    const answers: unknown[] = []
    try {
      const lines = first.printed.split('\n').filter((line) => line.startsWith('curl '))
      expect(lines.length).toBeGreaterThanOrEqual(17)
      expect(/http\S+/.exec(first.printed)?.[0]).toBe(`http://127.0.0.1:${port}/#key=${keyIn(first)}`)
      for (const line of lines) {
        const answer = await paste(line)
        answers.push(answer.startsWith('data: ') ? answer : JSON.parse(answer))
      }
      await announceMail(first)
      await expectTimestamp(first)
      await expectCheckpoint(first)
    } finally {
      expect(await endBy('SIGINT', first)).toMatch(ANNOUNCED)
    }
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'yes', specialty: 'Cardiology' }))
    expect(answers).toContainEqual(
      expect.objectContaining({ waitingLists: expect.arrayContaining([expect.anything()]) as unknown }),
    )
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'ask', specialty: null }))
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'held' }))
    expect(answers).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ policy: 'use_case_guard' }) as unknown }),
    )
    const texts = answers.map((answer) => JSON.stringify(answer))
    expect(texts.filter((text) => /"content":"[^"]*087 123 4567/.test(text) && text.includes('"aqta"'))).toHaveLength(1)
    const provided = texts.find((text) => text.includes('[PHONE_NUMBER_1]')) ?? ''
    expect(provided).toContain('eventsSent')
    expect(provided).not.toContain('087 123 4567')
    const asked = answers.find((answer) => JSON.stringify(answer).includes('approval_id')) as { error: object }
    expect(asked.error).toMatchObject({ code: 'approval_required' })
    const approvedAt = texts.findIndex((text) => text.includes('"object":"approval"') && text.includes('"approved"'))
    expect(answers[approvedAt + 1]).toMatchObject({ object: 'chat.completion' })
    expect(texts.some((text) => text.includes('"cached":true') && text.includes('"cost_eur":0'))).toBe(true)
    const completions = texts.filter((text) => text.includes('"object":"chat.completion"') && !text.includes('"audit"'))
    expect(completions.length - new Set(completions).size).toBe(1)
    expect(answers).toContainEqual({ error: expect.objectContaining({ code: 'identifier_found' }) as unknown })

    expect(answers).toContainEqual(
      expect.objectContaining({ object: 'chat.completion', aqta: expect.anything() as unknown }),
    )
    expect(answers).toContainEqual(expect.stringMatching(/"aqta"[^]*data: \[DONE\]/))
    expect(answers).toContainEqual(expect.objectContaining({ sandbox: false, record: expect.anything() as unknown }))

    const owner = { name: 'Local pro organisation', tier: 'pro', role: 'owner' }
    const organisations = [expect.objectContaining(owner)] as unknown
    expect(answers).toContainEqual(expect.objectContaining({ object: 'session' }))
    expect(answers).toContainEqual(expect.objectContaining({ object: 'user', email_verified: true, organisations }))
    expect(answers).toContainEqual(expect.objectContaining({ key: expect.stringMatching(/^aqta_/) as unknown }))
    expect(answers).toContainEqual(expect.objectContaining({ complete: true }))
    expect(answers).toContainEqual(expect.objectContaining({ object: 'oauth_redirect', provider: 'local' }))
    expect(answers).toContainEqual(
      expect.objectContaining({ object: 'webhook', state: 'on', secret: expect.stringMatching(/^whsec_/) as unknown }),
    )
    expect(answers).toContainEqual(expect.objectContaining({ object: 'webhook_delivery' }))
    for (const secret of ['demo-keys.json', 'demo-session.txt']) {
      expect((await stat(join(folder, 'state', secret))).mode & 0o077).toBe(0)
    }

    const second = await start()
    try {
      expect(keyIn(second)).toBe(keyIn(first))
      expect(peopleIn(second)).toEqual(peopleIn(first))
      expect(peopleIn(second)).toHaveLength(5)
      await expectCommandsToWork()
      await expectOwnPages()
    } finally {
      await endBy('SIGHUP', second)
    }
  })

  it('says what it does not understand', async () => {
    const wrong = start(['node', '--env-file=.env', 'scripts/start.ts', '--nonsense'])
    await expect(wrong).rejects.toThrow(/ended with 1:\nUnknown option '--nonsense'[^\n]*\n$/)
  })

  it('says what to do when its port is taken', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve))
    try {
      await expect(start()).rejects.toThrow(new RegExp(`Port ${port} is in use.*npm start -- --port`, 's'))
    } finally {
      await new Promise((resolve) => blocker.close(resolve))
    }
  })
})

describe('an end that was asked for', () => {
  it('SIGTERM to npm stops everything, also where its shell tells nobody', async () => {
    const run = await start(['npm', 'start', '--'])
    const pids = await descendantsOf(run.pid)
    expect(pids.length).toBeGreaterThanOrEqual(4)
    process.kill(run.pid, 'SIGTERM')
    await run.ended
    expect(await leftOf(pids, port)).toEqual([])
  })
})

describe('the operator’s commands', () => {
  it.each([
    ['orgs', ['create'], 2, '--name is missing'],
    ['orgs', ['invite', '--email', 'a@example.org'], 2, 'Say which organisation'],
    ['orgs', ['destroy'], 2, 'npm run orgs'],
    ['orgs', ['list', '--nonsense'], 2, "Unknown option '--nonsense'"],
    ['keys', ['list'], 2, '--org is missing'],
    ['keys', ['create', '--org', 'o', '--prefix', 'p', '--name', 'n', '--per-minute', 'many'], 2, 'whole number'],
    ['keys', ['list', '--org', 'org_x'], 1, 'Nothing answers'],
  ])('%s %j exits %i and says why', async (script, options, code, message) => {
    const failed = await operate(script, ...options)
    expect(failed).toMatchObject({ code })
    expect(failed.stderr).toContain(message)
  })
})
