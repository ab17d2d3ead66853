// scripts/install.mjs, which npm start and npm test run first: when it installs, and what it says where it cannot.
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultOf } from '../../scripts/local/folder-fault.mjs'
import { until } from '../support/until.ts'

const SCRIPT = resolve('scripts/install.mjs')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-install-'))
  await mkdir(join(folder, 'node_modules'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Lock = Record<string, { version: string; integrity?: string; optional?: boolean; devOptional?: boolean }>

const LOCKED: Lock = {
  'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/of-another-system': { version: '1.0.0', optional: true },
  'node_modules/for-tests-there': { version: '1.0.0', devOptional: true },
}
const ONE = { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' } }

const ROOT = { name: 'project', version: '1.0.0', dependencies: { one: '1.0.0' } }

const write = (name: string, packages: Lock) =>
  writeFile(join(folder, name), JSON.stringify({ lockfileVersion: 3, packages: { '': ROOT, ...packages } }))

/** Resolves to its exit code where it may not install: 0 if it need not. */
const codeOf = (): Promise<number> =>
  promisify(execFile)(process.execPath, [SCRIPT], { cwd: folder, env: { ...process.env, INSTALL: 'never' } }).then(
    () => 0,
    ({ code, stderr }: { code: number; stderr: string }) => {
      expect(stderr).toMatch(/^node_modules is not what package-lock\.json names, .+ Run `npm ci`\.\n$/)
      return code
    },
  )

/** Starts an installation from a registry, in a group of its own. */
async function startInstall({ port }: AddressInfo) {
  await writeFile(join(folder, 'package.json'), JSON.stringify(ROOT))
  await write('package-lock.json', ONE)
  await write('node_modules/.package-lock.json', {})
  const { INSTALL: _, ...env } = process.env
  const registry = `http://127.0.0.1:${port}/`
  return spawn(process.execPath, [SCRIPT], {
    cwd: folder,
    detached: true,
    env: { ...env, npm_config_registry: registry, npm_config_cache: join(folder, 'cache') },
  })
}

/** npm, and all that it started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

describe('the packages', () => {
  it.each([
    ['are there, but for those of other systems', ONE, 0],
    ['are older in one', { 'node_modules/one': { version: '0.9.0', integrity: 'sha512-one' } }, 1],
    ['have another hash in one', { 'node_modules/one': { version: '1.0.0', integrity: 'sha512-other' } }, 1],
    ['lack one', { 'node_modules/of-another-system': { version: '1.0.0' } }, 1],
    ['have one more', { ...ONE, 'node_modules/two': { version: '1.0.0' } }, 1],
    ['are none', {}, 1],
  ] satisfies [string, Lock, number][])('%s', async (_, installed, code) => {
    await write('package-lock.json', LOCKED)
    await write('node_modules/.package-lock.json', installed)
    expect(await codeOf()).toBe(code)
  })

  it('are not installed again because a checkout wrote the same lock file anew', async () => {
    await write('node_modules/.package-lock.json', ONE)
    await write('package-lock.json', LOCKED)
    await utimes(join(folder, 'node_modules/.package-lock.json'), 0, 0)
    expect(await codeOf()).toBe(0)
  })
})

it('installs also what the settings of this machine would leave out, and leaves signals to what follows', async () => {
  const links = { 'node_modules/two': { resolved: 'two', link: true, dev: true }, two: { version: '1.0.0', dev: true } }
  const root = { name: 'project', version: '1.0.0', devDependencies: { two: 'file:two' } }
  const lock = { name: 'project', version: '1.0.0', lockfileVersion: 3, packages: { '': root, ...links } }
  await mkdir(join(folder, 'two'))
  await writeFile(join(folder, 'two', 'package.json'), JSON.stringify({ name: 'two', version: '1.0.0' }))
  await writeFile(join(folder, 'package.json'), JSON.stringify(root))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const { INSTALL: _, ...own } = process.env
  const env = { ...own, NODE_ENV: 'production', npm_config_offline: 'true', npm_config_cache: join(folder, 'cache') }
  // As npm start does, which goes on in the process: then one signal ends it.
  const start = `await import(${JSON.stringify(SCRIPT)}); process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', start], { cwd: folder, env, stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
  expect(await codeOf()).toBe(0)
})

it('ends npm where it is told to end', async () => {
  let asked = ''
  const silent = createServer(
    (socket) => void socket.on('error', () => {}).on('data', (part) => (asked += String(part))),
  )
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const child = await startInstall(silent.address() as AddressInfo)
  try {
    await until(
      'npm asks for the package',
      () => asked,
      (text) => text.includes('GET /one '),
    )
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(child.exitCode).toBe(1)
    await until(
      'nothing asks the registry any more',
      () => promisify(silent.getConnections.bind(silent))(),
      (count) => count === 0,
    )
  } finally {
    endGroup(child)
    silent.close()
  }
})

it('says after ten seconds that the registry does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const child = await startInstall(silent.address() as AddressInfo)
  let printed = ''
  child.stdout.on('data', (part) => (printed += String(part)))
  try {
    await until(
      'it tells',
      () => printed,
      (text) => text.includes('still installing'),
    )
    expect(printed).toMatch(/still installing after \d+ s\. The registry of packages does not answer\. Check .+ Ctrl-C/)
  } finally {
    endGroup(child)
    silent.close()
  }
})

describe.runIf(process.platform === 'linux')('a folder that cannot be used', () => {
  it('is too small', () => {
    expect(faultOf(folder, 1e12)).toMatch(/^its disk has \d+ MB left, and 1000000000000 MB are needed$/)
  })
  it('may be full or not, if its drive does not say: the one of the system has no size', () => {
    expect(faultOf('/proc/there/is/none', 1)).toBe(null)
  })
  it('may be made, if the folder that will hold it can be written to', () => {
    expect(faultOf(join(folder, 'is', 'made', 'later'), 1)).toBe(null)
  })
})
