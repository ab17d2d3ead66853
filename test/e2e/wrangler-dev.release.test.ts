// `npx wrangler dev` in a clone after `npm ci`, without `npm start` before it: it builds the pages and names the missing secret.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/e2e/local-start.ts'
import { until } from '../support/until.ts'

/** What a clone does not have. */
const MADE = new Set(['node_modules', 'dist', '.wrangler', '.git', '.dev.vars', 'cookies.txt'])

let clone: string
let url: string
let printed = ''
let wrangler: ChildProcess

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'countersign-clone-'))
  await cp('.', clone, { recursive: true, filter: (path) => !MADE.has(relative('.', path)) })
  await symlink(resolve('node_modules'), join(clone, 'node_modules'))
  await startWrangler()
})

afterAll(async () => {
  await stopWrangler()
  await rm(clone, { recursive: true, force: true })
})

/** Starts it in a process group of its own, because it starts others that would outlive it. */
async function startWrangler(): Promise<void> {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const { NODE_ENV: _, ...env } = process.env
  wrangler = spawn('wrangler', ['dev', '--ip', '127.0.0.1', '--port', String(port)], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', killGroup)
  for (const stream of [wrangler.stdout, wrangler.stderr]) {
    stream?.on('data', (part: Buffer) => (printed += part.toString()))
  }
  await until(
    'wrangler dev is ready',
    () => ({ printed, code: wrangler.exitCode }),
    ({ code }) => code !== null || printed.includes('Ready on'),
  )
}

async function stopWrangler(): Promise<void> {
  const exited = once(wrangler, 'exit')
  if (wrangler.exitCode === null) {
    killGroup()
    await exited
  }
  process.off('exit', killGroup)
}

function killGroup(): void {
  if (wrangler.pid === undefined) return
  try {
    process.kill(-wrangler.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const healthz = async () => (await fetch(`${url}/healthz`)).json()

it('builds the pages and serves them', async () => {
  const page = await (await fetch(url)).text()
  expect(page).toContain('<title>')
  expect(printed.match(/Running: node scripts\/build-pages\.ts/g)).toHaveLength(1)
})

it('names the settings of .dev.vars that it does not read, and none of their values', async () => {
  await stopWrangler()
  printed = ''
  await writeFile(join(clone, '.dev.vars'), "OPENAI_API_KEY='sk-invented'\nEUR_PER_USD='0.91'\n")
  await startWrangler()
  expect(printed).toContain('does not read these settings of .dev.vars: OPENAI_API_KEY. npm start reads all of them.')
  expect(printed).not.toContain('sk-invented')
})

it('names the missing secrets in its output, and the one that a request needs in the answer', async () => {
  expect(printed).toContain('Missing required secrets: KEY_PEPPERS, OPERATOR_TOKEN. Add them to .dev.vars')
  expect(await healthz()).toMatchObject({
    error: {
      message: expect.stringMatching(/Missing or malformed in \.dev\.vars: KEY_PEPPERS\. .+ run npm start/) as string,
    },
  })
})
