// The command line of the contract runner: its exit codes, and how it keeps within the limit of the key it is given.
import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { waitAfterRefusal, waitBeforeNextCall } from '../../scripts/contract/deployment.ts'
import { FAKE_KEY, startFakeDeployment } from '../support/e2e/fake-deployment.ts'
import { runAgainstFake, runCommand } from '../support/e2e/run-against-fake.ts'

const NOBODY = 'http://127.0.0.1:9'

describe('the command line of the contract runner', () => {
  it.each([
    ['no address', ['--key', FAKE_KEY], 'one base URL'],
    ['two addresses', [NOBODY, NOBODY, '--key', FAKE_KEY], 'one base URL'],
    ['an address of another kind', ['ftp://example.com', '--key', FAKE_KEY], 'not an http or https address'],
    ['no key', [NOBODY], 'sandbox key'],
    ['a live key', [NOBODY, '--key', 'vk_live_x'], 'would send letters to the readers'],
    ['a live key to use up', [NOBODY, '--key', FAKE_KEY, '--limited-key', 'vk_live_x'], 'sandbox key'],
    ['one key for both', [NOBODY, '--key', FAKE_KEY, '--limited-key', FAKE_KEY], 'another key'],
    ['an unknown option', [NOBODY, '--fast'], '--fast'],
    ['an address where nobody answers', [NOBODY, '--key', FAKE_KEY], 'Nothing answers'],
  ])('exits with 2 on %s', async (_, args, problem) => {
    const { exitCode, printed, reported } = await runCommand(args)
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: '' })
    expect(reported).toContain(problem)
    expect(reported).not.toContain(FAKE_KEY)
  })

  it('exits with 2 when no group has the name it was given', async () => {
    expect((await runAgainstFake(['--only', 'no such group'])).exitCode).toBe(2)
  })

  it('takes the key from the environment', async () => {
    expect((await runCommand([NOBODY], { CONTRACT_KEY: FAKE_KEY })).reported).toContain('Nothing answers')
  })

  it('prints its usage on demand', async () => {
    const { exitCode, printed } = await runCommand(['--help'])
    expect(exitCode).toBe(0)
    expect(printed).toContain('Usage:')
  })

  it('gives its exit code to the shell', async () => {
    const fake = await startFakeDeployment((answer) => (answer.status = 500))
    const args = ['scripts/contract.ts', fake.baseUrl, '--key', FAKE_KEY, '--only', 'held actions']
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    const exitCode = await new Promise((resolve) => child.on('close', resolve))
    await fake.close()
    expect(exitCode).toBe(1)
  })
})

describe('the contract runner and the limit of its own key', () => {
  it('waits before a call that would be refused, and says so', async () => {
    const resetAt = Math.floor(Date.now() / 1000) + 30
    const { waits, reported } = await runAgainstFake(['--only', 'held'], ({ headers }) => {
      Object.assign(headers, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetAt) })
    })
    expect(waits.length).toBeGreaterThan(0)
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_250)
    expect(reported).toContain('waiting')
  })

  it('takes the next key instead of waiting', async () => {
    const resetAt = Math.floor(Date.now() / 1000) + 30
    const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetAt) }
    const keysUsed = new Set<string | undefined>()
    const { waits } = await runAgainstFake(['--only', 'held', '--key', 'vk_test_second'], ({ headers }, { key }) => {
      keysUsed.add(key)
      if (key === FAKE_KEY) Object.assign(headers, usedUp)
    })
    expect(waits).toEqual([])
    expect(keysUsed).toEqual(new Set([undefined, FAKE_KEY, 'vk_test_second']))
  })

  it('makes a call again that was refused for the minute', async () => {
    let refusals = 0
    const { exitCode, waits } = await runAgainstFake(['--only', 'held'], (answer, { body }) => {
      if (body?.['action'] !== 'submit_referral' || ++refusals > 1) return
      Object.assign(answer, { status: 429, body: { error: { retry_after: 2 } } })
    })
    expect({ exitCode, waits }).toEqual({ exitCode: 0, waits: [2250] })
  })

  it.each([
    ['calls are left', { remaining: 1, resetAtMs: 30_000 }, 0],
    ['the window has passed', { remaining: 0, resetAtMs: 9_000 }, 0],
    ['the window opens in 20 s', { remaining: 0, resetAtMs: 30_000 }, 20_250],
    ['the day is used up', { remaining: 0, resetAtMs: 3_600_000 }, 0],
  ])('waits as long as it must when %s', (_, rate, ms) => {
    expect(waitBeforeNextCall(rate, 10_000)).toBe(ms)
  })

  it('does not wait for a refusal that lasts longer than a minute, or that names no time', () => {
    expect([waitAfterRefusal(3600), waitAfterRefusal(undefined), waitAfterRefusal(0)]).toEqual([null, null, null])
  })
})
