// npm start where it cannot start, or is ended before its time: it says why, and nothing of it is left.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withBindings } from '../../scripts/storage-bindings.ts'
import {
  descendantsOf,
  END_OF_WORKER,
  leftOf,
  running,
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

const start = (): Promise<LocalRun> => startLocally({ folder, port })

const HAS_MOUNTS = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0

/** `npm start` waits three minutes for its Worker. */
const SOONER_THAN_GIVEN_UP_MS = 150_000

describe('npm start', () => {
  it.each([
    ['a malformed setting', 'dev.vars', "KEY_PEPPERS='1:zz'\n", /did not start[^]*malformed: KEY_PEPPERS/],
    ['a folder in the place of settings', 'dev.vars', null, /The settings in \S+ cannot be used: [^\n]+\n/],
    ['a file in the place of storage', 'state', '', /The storage in \S+ cannot be used: [^\n]+\n/],
  ])('says at once that there is %s', async (_, name, text, sentence) => {
    const broken = await mkdtemp(join(tmpdir(), 'countersign-broken-'))
    try {
      const place = join(broken, name)
      await (text === null ? mkdir(place) : writeFile(place, text))
      await expect(startLocally({ folder: broken, port })).rejects.toThrow(sentence)
    } finally {
      await rm(broken, { recursive: true, force: true })
    }
  })

  // A file system of its own, where the system lets this user have one.
  it.runIf(HAS_MOUNTS).each([
    [
      'a read-only file system',
      'ro',
      /\S+ cannot be used: its file system is read-only\. Choose another folder: [^\n]+\n$/,
    ],
    ['a full disk', 'size=64k', /\S+ cannot be used: its disk has 0 MB left, and \d+ MB are needed\. Choose [^\n]+\n$/],
  ])('says in one sentence that its storage is on %s', async (_, option, sentence) => {
    const mounted = await mkdtemp(join(tmpdir(), 'countersign-mounted-'))
    try {
      const script = `mount -t tmpfs -o ${option} tmpfs ${mounted} && exec node --env-file=.env scripts/start.ts "$@"`
      const command = ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, 'sh']
      await expect(startLocally({ folder: mounted, port, command })).rejects.toThrow(sentence)
    } finally {
      await rm(mounted, { recursive: true, force: true })
    }
  })

  it.each([
    ['a migration that is unknown here', '0001_organisations.sql', null],
    ['a migration with another text', '0001_baseline.sql', '0'.repeat(64)],
    ['no hash of its migrations', '0001_baseline.sql', null],
  ])('says what to do about storage of another version: %s', async (_, name, sha256) => {
    const broken = await mkdtemp(join(tmpdir(), 'countersign-broken-'))
    try {
      await withBindings({ persistTo: join(broken, 'state') }, async ({ DB }) => {
        await DB.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)')
        await DB.exec(`INSERT INTO d1_migrations (name) VALUES ('${name}')`)
        if (sha256 === null) return
        await DB.exec('CREATE TABLE migration_hashes (name TEXT, sha256 TEXT)')
        await DB.exec(`INSERT INTO migration_hashes VALUES ('${name}', '${sha256}')`)
      })
      const sentence =
        /The storage in \S+ cannot be used: another version [^.]+\. Delete the folder, then start again\.\n/
      await expect(startLocally({ folder: broken, port })).rejects.toThrow(sentence)
    } finally {
      await rm(broken, { recursive: true, force: true })
    }
  })

  it(
    'says at once that the Worker does not build, and why',
    async () => {
      const broken = await mkdtemp(join(tmpdir(), 'countersign-broken-'))
      try {
        for (const path of ['data/migrations', 'dist/pages']) await mkdir(join(broken, path), { recursive: true })
        const toml = await readFile('wrangler.toml', 'utf8')
        await writeFile(join(broken, 'wrangler.toml'), toml.replace('src/worker.ts', 'worker.ts'))
        await writeFile(join(broken, 'worker.ts'), "import { fetch } from './nowhere.ts'\nexport default { fetch }\n")
        const starting = startLocally({ folder: broken, port, project: broken })
        await expect(starting).rejects.toThrow(/ended with 1:[^]*did not start[^]*Could not resolve "\.\/nowhere\.ts"/)
      } finally {
        await rm(broken, { recursive: true, force: true })
      }
    },
    SOONER_THAN_GIVEN_UP_MS,
  )
})

describe('an end that nobody asked for', () => {
  it.each([
    ['the first runtime', /workerd serve/, 0],
    ['the last runtime', /workerd serve/, -1],
    ['the process that has the runtimes', /worker-process\.ts/, 0],
  ])('of %s ends all of it with a sentence and exit code 1', async (_, command, which) => {
    const run = await start()
    const pids = await descendantsOf(run.pid)
    const victim = (await running(pids)).filter((one) => command.test(one.command)).at(which)
    process.kill(victim?.pid ?? 0, 'SIGKILL')
    expect(await run.ended).toMatchObject({ code: 1, printed: expect.stringMatching(END_OF_WORKER) as string })
    expect(await leftOf(pids, port)).toEqual([])
  })

  it('before it is ready says so and ends too', async () => {
    const starting = start()
    const outcome = starting.then(
      () => 'ready',
      (error: unknown) => String(error),
    )
    const findWorker = async () => {
      const below = await running(await descendantsOf(process.pid))
      return below.find(({ command }) => command.includes('worker-process.ts'))
    }
    const worker = await until('the Worker’s process runs', findWorker, (found) => found !== undefined)
    const pids = worker === undefined ? [] : [worker.pid]
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    expect(await outcome).toMatch(/ended with 1:[^]*The Worker did not start/)
    expect(await leftOf(pids, port)).toEqual([])
  })

  it('of the script itself leaves nothing either', async () => {
    const run = await start()
    const pids = await descendantsOf(run.pid)
    process.kill(run.pid, 'SIGKILL')
    await run.ended
    expect(await leftOf(pids, port)).toEqual([])
  })
})

describe('an end that was asked for', () => {
  it.each([
    [
      'while the storage is prepared says so, and',
      'SIGINT',
      'preparing the storage',
      /\nStopping\. The next npm start/,
    ],
    ['while it is still starting', 'SIGTERM', 'Starting', /^Starting/],
  ] as const)('%s leaves nothing either', async (_, signal, step, said) => {
    const fresh = await mkdtemp(join(tmpdir(), 'countersign-left-'))
    const place = ['--persist-to', join(fresh, 'state'), '--dev-vars', join(fresh, 'dev.vars')]
    const child = spawn('node', ['--env-file=.env', 'scripts/start.ts', '--port', String(port), ...place])
    let printed = ''
    child.stdout.on('data', (part) => (printed += String(part)))
    try {
      await until(
        'it is so far',
        () => printed,
        (text) => text.includes(step),
      )
      const pids = await descendantsOf(child.pid ?? 0)
      const exited = once(child, 'exit')
      child.kill(signal)
      expect(await exited).toEqual([0, null])
      expect(printed).toMatch(said)
      expect(await leftOf(pids, port)).toEqual([])
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  })
})
