// The programs of scripts/examples as a vendor runs them: against the service with a sandbox key, and where answers fail.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../scripts/example-letters.ts'
import { PROGRAM_ADDRESSES } from '../../scripts/pages/worker-files.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'

const PROGRAMS = resolve('scripts/examples')

const LANGUAGES: readonly (readonly [name: string, command: readonly string[], version: string])[] = [
  ['TypeScript', [process.execPath, join(PROGRAMS, 'read-letter.ts')], '--version'],
  ['Python', ['python3', join(PROGRAMS, 'read-letter.py')], '--version'],
  ['Java', ['java', join(PROGRAMS, 'ReadLetter.java')], '-version'],
  ['C#', ['dotnet', 'run', join(PROGRAMS, 'ReadLetter.cs'), '--'], '--version'],
]

let folder: string
let service: { URL: string; KEY: string }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-examples-'))
  const gateway = await sharedGateway()
  service = { URL: gateway.service.url, KEY: (await gateway.service.createKey()).key }
})
afterAll(() => rm(folder, { recursive: true }))

type Ran = { code: number; stdout: string }

/** Runs a program in the folder. Fails if it reports an error of its own. */
async function run([program = '', ...args]: readonly string[], env: typeof service): Promise<Ran> {
  // Java prints in the encoding of the locale.
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8', ...env } }
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
      expect(stderr).toBe('')
      return { code, stdout }
    },
  )
}

async function saveLetter(id: string): Promise<string> {
  const file = join(folder, `${id}.txt`)
  await writeFile(file, EXAMPLES.list.find((example) => example.id === id)?.text ?? expect.fail(`no example ${id}`))
  return file
}

type Served = { url: string; keys: (string | undefined)[]; close: () => void }

/** Serves one answer after the other, the last one again, and keeps the idempotency keys. */
async function serve(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]): Promise<Served> {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString())
    request.resume().once('end', () => answers[Math.min(keys.length, answers.length) - 1]?.(response, request))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, keys, close: () => server.close() }
}

const answer =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(JSON.stringify(body))

const lose = (response: ServerResponse): void => void response.destroy()

const refusal = (code: string): object => ({ error: { code, message: 'As "told" \\ \n é \u{1F600}.' } })
const ASK = { decision: 'ask', because: 'The readers named different specialties.', specialty: null, ageGroup: null }
const AT_ONCE = { 'retry-after': '0' }

describe.each(LANGUAGES)('the client in %s', (_name, command, version) => {
  const isMissing = spawnSync(command[0] ?? '', [version]).status !== 0
  const read = async (id: string, ...more: string[]): Promise<string[]> =>
    (await run([...command, await saveLetter(id), ...more], service)).stdout.trimEnd().split('\n')

  it.for([
    ['cardiology-exertional-chest-tightness', [], [/^yes: Cardiology, Adult$/, /^[^:]+: \d+ waiting$/]],
    ['paediatric-ent-glue-ear', [], [/^yes: Paediatric ENT, Child$/, /^[^:]+: \d+ waiting$/]],
    ['age-difference-knee', [], [/^yes: Orthopaedics, age group not agreed$/, /^Ask the clinician: adult or child\?$/]],
    ['age-difference-knee', ['Child'], [/^yes: Orthopaedics, age group not agreed$/, /Archive date|waiting$/]],
    ['two-problems-knee-and-mole', [], [/^ask: Both readers found that .* two problems\. The clinician chooses\.$/]],
    ['differ-adult-raised-glucose', [], [/^ask: The readers named different specialties\./]],
    ['held-book-appointment', ['Adult', 'book_appointment'], [/^held: Booking commits a hospital/]],
    ['identifier-pps-number', [], [/^identifier_found: The text seems to contain/, /^pps_number at \d+ to \d+$/]],
  ] as const)('%s %j', async ([id, more, expected], { skip }) => {
    skip(isMissing, `needs ${command[0]}`)
    const lines = await read(id, ...more)
    for (const [at, line] of expected.entries()) expect(lines[at]).toMatch(line)
    const isListed = lines.some((line) => line.startsWith('Not told: '))
    expect(isListed).toBe(lines[0]?.startsWith('yes') === true && !lines[1]?.startsWith('Ask'))
    if (isListed) expect(lines.join('\n')).toMatch(/\n.+ Archive date [\d-]{10}, published [\d-]{10}\.\nNot told: /)
    if (!isListed) expect(lines).toHaveLength(expected.length)
  })

  it.for([
    ['retries under the same key', [answer(503, refusal('busy'), AT_ONCE), answer(200, ASK)], 2, /^ask: The readers/],
    ['waits for a limit', [answer(429, refusal('rate'), AT_ONCE), answer(200, ASK)], 2, /^ask: The readers/],
    [
      'shows that a lost answer was read',
      [lose, answer(409, refusal('conflict'))],
      2,
      /^conflict: As "told" \\ \n é 😀\.$/,
    ],
    ['takes no answer for no yes', [lose], 3, /^No answer, which is not a yes\. The clinician chooses\.$/],
    ['stops when told to', [answer(503, refusal('over'), { 'x-should-retry': 'false' })], 1, /^over: /],
    ['does not wait until tomorrow', [answer(429, refusal('cost'), { 'retry-after': '3600' })], 1, /^cost: /],
  ] as const)('%s', async ([, answers, times, printed], { skip }) => {
    skip(isMissing, `needs ${command[0]}`)
    const served = await serve(...answers)
    const { stdout } = await run([...command, await saveLetter('ent-nasal-obstruction')], { URL: served.url, KEY: 'k' })
    served.close()
    expect(stdout.trimEnd()).toMatch(printed)
    expect(served.keys).toHaveLength(times)
    expect(new Set(served.keys).size).toBe(1)
    expect(served.keys[0]).toMatch(/^[\da-f-]{36}$/)
  })

  it('stores the answer of a live key as it came', async ({ skip }) => {
    skip(isMissing, `needs ${command[0]}`)
    const served = await serve(answer(200, { ...ASK, record: { note: 'é' } }))
    await run([...command, await saveLetter('ent-nasal-obstruction')], { URL: served.url, KEY: 'k' })
    served.close()
    const stored = await readFile(join(folder, 'reading.json'), 'utf8')
    expect(stored).toBe(JSON.stringify({ ...ASK, record: { note: 'é' } }))
    await rm(join(folder, 'reading.json'))
  })
})

it.each(PROGRAM_ADDRESSES)('%s is served as text that a browser shows', async (address) => {
  const served = await fetch(service.URL + address)
  expect(served.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await served.text()).toBe(await readFile(join(PROGRAMS, basename(address)), 'utf8'))
})

describe('the program that sends every example', () => {
  const command = [process.execPath, join(PROGRAMS, 'run-examples.ts')]

  it('finds each answered as expected', async () => {
    expect(await run(command, service)).toEqual({
      code: 0,
      stdout: `${EXAMPLES.list.length} of ${EXAMPLES.list.length} answered as expected\n`,
    })
  })

  it('names what differs and exits with 1', async () => {
    const [yes] = EXAMPLES.list
    const ask = EXAMPLES.list.find(({ expected }) => expected.decision === 'ask')
    const served = await serve(answer(200, { examples: [yes, ask] }), answer(429, {}, AT_ONCE), answer(200, ASK))
    const { code, stdout } = await run(command, { URL: served.url, KEY: 'k' })
    served.close()
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      `${yes?.id}: decision is ask, expected yes`,
      `${yes?.id}: specialty is null, expected Cardiology`,
      `${yes?.id}: ageGroup is null, expected Adult`,
      '1 of 2 answered as expected',
      '',
    ])
  })
})
