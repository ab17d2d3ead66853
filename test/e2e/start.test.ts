// npm start as a newcomer meets it: what it prints can be pasted, and a second start keeps the state.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

type Run = { printed: string; stop(): Promise<void> }

let state: string
let port: number
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'countersign-start-'))
  port = await freePort()
})
afterAll(() => rm(state, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port: free } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return free
}

function start(): Promise<Run> {
  const options = ['--env-file=.env', 'scripts/start.ts', '--port', String(port), '--persist-to', state]
  const child = spawn('node', options, { stdio: ['ignore', 'pipe', 'pipe'] })
  const stopped = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await stopped
  }
  return new Promise((resolve, reject) => {
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        printed += `${line}\n`
        if (line.startsWith('Stop with Ctrl-C')) resolve({ printed, stop })
      })
    }
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${printed}`)))
  })
}

const keyIn = ({ printed }: Run): string | undefined => /vk_test_\w+/.exec(printed)?.[0]

describe('npm start', () => {
  it('prints lines that work when they are pasted, and keeps its keys and figures over a second start', async () => {
    const first = await start()
    const answers: unknown[] = []
    try {
      const lines = first.printed.split('\n').filter((line) => line.startsWith('curl '))
      expect(lines.length).toBeGreaterThanOrEqual(6)
      for (const line of lines) {
        const { stdout } = await promisify(execFile)('sh', ['-c', line])
        answers.push(stdout.startsWith('data: ') ? stdout : JSON.parse(stdout))
      }
    } finally {
      await first.stop()
    }
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'yes', specialty: 'Cardiology' }))
    expect(answers).toContainEqual(
      expect.objectContaining({ waitingLists: expect.arrayContaining([expect.anything()]) as unknown }),
    )
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'ask', specialty: null }))
    expect(answers).toContainEqual(expect.objectContaining({ decision: 'held' }))
    expect(answers).toContainEqual({ error: expect.objectContaining({ code: 'identifier_found' }) as unknown })

    expect(answers).toContainEqual(
      expect.objectContaining({ object: 'chat.completion', aqta: expect.anything() as unknown }),
    )
    expect(answers).toContainEqual(expect.stringMatching(/"aqta"[^]*data: \[DONE\]/))
    expect(answers).toContainEqual(expect.objectContaining({ sandbox: false, record: expect.anything() as unknown }))

    const second = await start()
    try {
      expect(keyIn(second)).toBe(keyIn(first))
    } finally {
      await second.stop()
    }
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

describe('the operator’s commands', () => {
  const run = (script: string, ...options: string[]) =>
    promisify(execFile)('node', [`scripts/${script}.ts`, ...options, '--url', `http://127.0.0.1:${port}`]).catch(
      (failed: { code: number; stderr: string; stdout: string }) => failed,
    )

  it('found an organisation, issue a key that works, show it, revoke it', async () => {
    const service = await start()
    try {
      const json = async (script: string, ...options: string[]) =>
        JSON.parse((await run(script, ...options, '--json')).stdout) as Record<string, string>
      const { id: org = '' } = await json('orgs', 'create', '--name', 'A practice', '--tier', 'starter')
      expect(await json('orgs', 'set', org, '--tier', 'pro')).toMatchObject({ id: org, tier: 'pro' })
      const issue = ['create', '--org', org, '--prefix', 'vk_test_', '--name', 'Front desk', '--per-minute', '5']
      const { id = '', key = '' } = await json('keys', ...issue)
      const call = () =>
        fetch(`http://127.0.0.1:${port}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
      expect((await call()).status).toBe(200)
      expect((await run('keys', 'list', '--org', org)).stdout).toContain(id)
      expect((await json('keys', 'show', '--org', org, id))['requests_per_minute']).toBe(5)
      expect((await json('keys', 'revoke', '--org', org, id))['revoked_at']).toMatch(/^\d{4}-/)
      expect((await call()).status).toBe(401)
      expect(await run('keys', 'show', '--org', org, 'key_none')).toMatchObject({ code: 1 })
    } finally {
      await service.stop()
    }
  })

  it.each([
    ['orgs', ['create'], 1, '--name is missing'],
    ['orgs', ['destroy'], 2, 'npm run orgs'],
    ['orgs', ['list', '--nonsense'], 2, "Unknown option '--nonsense'"],
    ['keys', ['list'], 1, '--org is missing'],
    ['keys', ['create', '--org', 'o', '--prefix', 'p', '--name', 'n', '--per-minute', 'many'], 1, 'whole number'],
    ['keys', ['list', '--org', 'org_x'], 1, 'Nothing answers'],
  ])('%s %j exits %i and says why', async (script, options, code, message) => {
    const failed = await run(script, ...options)
    expect(failed).toMatchObject({ code })
    expect(failed.stderr).toContain(message)
  })
})
