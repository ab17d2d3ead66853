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
import { readLocalFacts, type LocalFacts } from '../../scripts/local/local-facts.ts'
import { readTour } from '../../scripts/local/read-tour.ts'
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

const state = (): string => join(folder, 'state')
const facts = (): LocalFacts => readLocalFacts(state()) ?? expect.fail('npm start has written no addresses')

const VERIFY = join(import.meta.dirname, '../../scripts/countersign-verify.ts')

/** Runs a command as somebody in the folder, whose shell has the variables of `npm start`. */
const paste = (line: string) =>
  promisify(execFile)(
    'sh',
    ['-c', `. ${join(state(), 'env')}\n${line.replace('node countersign-verify.mjs', `node ${VERIFY}`)}`],
    {
      cwd: folder,
    },
  )

const ANNOUNCED = /\nMail to me@practice\.example: [^\n]+\n {2}http:\/\/127\.0\.0\.1:\d+\/confirm#[\w-]{43}\n/

/** Somebody signs up; resolves when the mailbox has the mail. */
async function announceMail(): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  const body = { email: 'me@practice.example', password: 'a wet morning in spring', name: 'Me' }
  await fetch(`${url}/api/auth/signup`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const hasMail = async () =>
    (await (await fetch(`${facts().mailbox}/mails?to=${body.email}`)).text()).includes('confirm#')
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
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const second = ['--org', org, '--email', 'second@example.org', '--role', 'auditor', '--ends', day]
  expect(await json('orgs', 'invite', ...second)).toMatchObject({ ends_at: `${day}T23:59:59.000Z` })
  const issue = [
    'create',
    '--org',
    org,
    '--prefix',
    'vk_test_',
    '--name',
    'Front desk',
    '--per-minute',
    '5',
    '--data-region',
    'eu',
  ]
  const { id = '', key = '' } = await json('keys', ...issue)
  const call = () => fetch(`http://127.0.0.1:${port}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)
  expect((await operate('keys', 'list', '--org', org)).stdout).toContain(id)
  expect(await json('keys', 'show', '--org', org, id)).toMatchObject({ requests_per_minute: 5, data_region: 'eu' })
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

/** The link signs the owner in once. */
async function expectOneSignIn({ printed }: LocalRun): Promise<void> {
  const [link = ''] = /http:\S+\/sign-in\/[\w-]+/.exec(printed) ?? []
  const signedIn = await fetch(link, { redirect: 'manual' })
  expect(signedIn.headers.get('location')).toBe(`${facts().url}/app`)
  const cookie = signedIn.headers.get('set-cookie') ?? ''
  const me = await fetch(`${facts().url}/api/auth/me`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(await me.json()).toMatchObject({ object: 'user', organisations: [{ tier: 'healthcare', role: 'owner' }] })
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(410)
}

/** A build of the pages, by whomever, takes none away: the Worker has its own. */
async function expectOwnPages(): Promise<void> {
  await writeFile(join(folder, 'state', 'pages', 'own.txt'), 'own')
  const page = () => fetch(`http://127.0.0.1:${port}/own.txt`)
  await until('the Worker serves its own page', page, ({ ok }) => ok)
}

/** Runs a command block. Retries while an earlier response is still being stored, or no checkpoint is cosigned yet. */
async function answersTo(command: string): Promise<string[]> {
  const run = () => paste(command).catch((failed: { stdout: string; stderr: string }) => failed)
  const isEarly = (stdout: string): boolean => /"code":"conflict"|^invalid +(?:checkpoint|witnesses)/m.test(stdout)
  const { stdout, stderr } = await until(command, run, (ran) => !isEarly(ran.stdout))
  if (stdout === '') expect.fail(`${command}: ${stderr}`)
  return command.startsWith('npx') || stdout.includes('data: ') ? [stdout] : stdout.split(/(?<=\})\n*(?=\{)/)
}

/** What `npm run demo:keys` or `npm run tour` prints. */
const printedBy = async (...command: string[]): Promise<string> =>
  (await promisify(execFile)('node', ['scripts/demo.ts', ...command, '--persist-to', state()])).stdout

/** Variables that a reader sets: they are described beside the command. */
const GIVEN = new Set(['PATH', 'HOME'])

const JSON_BODY = "-H 'content-type: application/json'"

/** Asks every server beside the Worker, with the variables of `npm start`. */
async function visitServers() {
  const first = async (command: string): Promise<string> => (await answersTo(command)).join('\n')
  await first(
    `curl -s -c cookies.txt "$URL/api/auth/login" -H "origin: $URL" ${JSON_BODY} -d "{\\"email\\": \\"$EMAIL\\", \\"password\\": \\"$PASSWORD\\"}"`,
  )
  await first(
    `curl -s -X PUT "$URL/api/notifications" -H "authorization: Bearer $MANAGEMENT_KEY" ${JSON_BODY} -d "{\\"url\\": \\"$RECEIVER/hooks\\"}"`,
  )
  await first(`curl -s "$URL/api/notifications/test" -H "authorization: Bearer $MANAGEMENT_KEY" ${JSON_BODY} -d '{}'`)
  return {
    checkpoint: await first(
      'node countersign-verify.mjs "$URL/v1/public/transparency/checkpoint" --log "$LOG_VKEY" --witness "$WITNESS_VKEY"',
    ),
    me: await first('curl -s -b cookies.txt "$URL/api/auth/me"'),
    signIn: await first(
      `curl -s "$URL/api/auth/oauth-signin" -H "origin: $URL" ${JSON_BODY} -d '{"provider": "local"}'`,
    ),
    asked: await first(
      `curl -s "$URL/v1/chat/completions" -H "authorization: Bearer $GATEWAY_KEY" ${JSON_BODY} -d '{"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Ring the invented practice."}]}'`,
    ),
    provided: await first('curl -s "$EMULATOR/_emulator/requests?last=1"'),
    messages: await until(
      'the receiver has the message',
      () => first('curl -s "$RECEIVER/messages"'),
      (text) => text.includes('/hooks'),
    ),
  }
}

describe('npm start', () => {
  it('prints what to do in at most twenty lines, keeps its keys, ports and figures over a second start, and ends cleanly', async () => {
    const first = await start(['npm', 'start', '--'])
    const addresses = facts()
    const keys = await printedBy('keys')
    try {
      expect(first.printed.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
      expect(first.printed).not.toMatch(/vk_|aqta_/)
      const lines = first.printed.split('\n').filter((line) => line.includes('curl '))
      const [reading, chat] = await Promise.all(
        lines.map(async (line) => JSON.parse((await promisify(execFile)('sh', ['-c', line])).stdout) as JsonObject),
      )
      expect(reading).toMatchObject({ decision: 'yes' })
      expect(chat).toMatchObject({ object: 'chat.completion', aqta: { status: 'passed' } })
      await expectOneSignIn(first)
      await expect(start()).rejects.toThrow(/another npm start uses it\. Stop that one, or choose/)
    } finally {
      await first.stop()
    }

    const second = await start()
    try {
      expect(second.printed).toMatch(/^Starting Countersign …\nCountersign runs/)
      expect(facts()).toEqual(addresses)
      expect(await printedBy('keys')).toBe(keys)
      expect(keys.match(/\S+@practice\.example +\S+/g)).toHaveLength(5)
      await expectCommandsToWork()
      await expectOwnPages()
    } finally {
      await endBy('SIGHUP', second)
    }

    const settings = await readFile(join(folder, 'dev.vars'), 'utf8')
    await writeFile(join(folder, 'dev.vars'), `KEY_PEPPERS='1:${'ab'.repeat(32)}'\n`)
    const third = await start()
    await third.stop()
    await writeFile(join(folder, 'dev.vars'), settings.replace("='1:", `='2:${'ab'.repeat(32)},1:`))
    const fourth = await start()
    await fourth.stop()
    expect(await printedBy('keys')).toBe(keys)
    expect(third.printed).toMatch(
      /\nThe keys of an earlier start are refused, [^.]+\. If KEY_PEPPERS in \S+ has changed, both/,
    )
    for (const secret of ['demo-keys.json', 'env']) expect((await stat(join(state(), secret))).mode & 0o077).toBe(0)
  })

  it('has a tour that lists its topics and prints each', async () => {
    const topics = readTour().filter(({ needsYear }) => !needsYear)
    const list = await printedBy('tour')
    for (const { name } of topics) expect(list).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    const topic = topics.find(({ name }) => name === 'block-personal-data')
    const shown = await printedBy('tour', 'block-personal-data')
    expect(shown).toContain(`. ${join(state(), 'env')}`)
    expect(shown).toContain(topic?.commands[0])
    expect(shown).not.toContain('```')
    await expect(printedBy('tour', 'nowhere')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Choose one of: start-developer, ') as string,
    })
    const elsewhere = promisify(execFile)('node', ['scripts/demo.ts', 'tour', '--persist-to', join(folder, 'none')])
    await expect(elsewhere).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Run npm start first') as string,
    })
  })

  it('sets every variable that the commands of the tour use', async () => {
    const environment = await readFile(join(state(), 'env'), 'utf8')
    const set = new Set(Array.from(environment.matchAll(/^export (\w+)=/gm), ([, name = '']) => name))
    for (const { name, commands, needsYear } of readTour()) {
      if (needsYear) continue
      const text = commands.join('\n')
      const own = new Set(
        Array.from(text.matchAll(/(?:^|[\s;])(?:export )?([A-Z_]+)=/gm), ([, variable = '']) => variable),
      )
      const used = Array.from(text.matchAll(/\$\{?([A-Z][A-Z_]*)/g), ([, variable = '']) => variable)
      const missing = used.filter((variable) => !set.has(variable) && !own.has(variable) && !GIVEN.has(variable))
      expect({ name, missing }).toEqual({ name, missing: [] })
    }
  })

  it('has servers beside it that the variables lead to', async () => {
    const run = await start()
    const visiting = visitServers().then(async (answers) => {
      await announceMail()
      return answers
    })
    const [answers] = await Promise.allSettled([visiting])
    const printed = await endBy('SIGINT', run)
    if (answers.status === 'rejected') throw answers.reason
    expect(printed).toMatch(ANNOUNCED)
    const { checkpoint, me, signIn, asked, provided, messages } = answers.value
    expect(checkpoint).toMatch(/^valid +checkpoint +localhost[^]*\nvalid +witnesses +1 of at least 1/)
    expect(JSON.parse(me)).toMatchObject({
      email_verified: true,
      organisations: [{ name: 'Local healthcare organisation', tier: 'healthcare', role: 'owner' }],
    })
    expect(JSON.parse(signIn)).toMatchObject({ object: 'oauth_redirect', provider: 'local' })
    expect(JSON.parse(asked)).toMatchObject({ object: 'chat.completion' })
    expect(provided).toContain('Ring the invented practice.')
    expect(messages).toContain('"path":"/hooks"')
  })

  it('says what it does not understand', async () => {
    const wrong = start(['node', '--env-file=.env', 'scripts/start.ts', '--nonsense'])
    await expect(wrong).rejects.toThrow(/ended with 2:\nUnknown option '--nonsense'[^\n]*\nUsage: npm start/)
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
    ['orgs', ['invite', '--email', 'a@example.org'], 2, 'Add the organisation’s id'],
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
