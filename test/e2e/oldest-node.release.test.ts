// The commands on the oldest Node that package.json promises, without the newer one that `npm ci` installs. `.ci/run` fetches that
// Node and names it in OLDEST_NODE; without it there is nothing to run here.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readLocalFacts } from '../../scripts/local/local-facts.ts'
import { readLocalOrganisations } from '../../scripts/local/local-organisations.ts'
import { freePort, startLocally, type LocalRun } from '../support/e2e/local-start.ts'
import { until } from '../support/until.ts'

const NODE = process.env['OLDEST_NODE'] ?? ''
const env = { ...process.env, PATH: `${dirname(NODE)}:${process.env['PATH']}` }

type Ended = { code: number; stdout: string; stderr: string }

/** Runs it with its arguments. */
const onOldestNode = (args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(NODE, args, { env }).then(
    (ended) => ({ code: 0, ...ended }),
    (failed: Ended) => failed,
  )

describe.skipIf(NODE === '')('on the oldest Node', () => {
  let folder: string
  let url: string
  let run: LocalRun

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-oldest-'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    run = await startLocally({ folder, port, command: [NODE, '--env-file=.env', 'scripts/start.ts'] })
  })
  afterAll(async () => {
    await run.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('is the one of package.json', async () => {
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(await readFile('package.json', 'utf8')))
    const { stdout } = await onOldestNode(['--version'])
    expect(engines.node.startsWith(stdout.trim().replace('v', '^'))).toBe(true)
  })

  it('npm run contract agrees with the service of npm start', async () => {
    const { sandboxKey: key = '' } = readLocalOrganisations(join(folder, 'state')) ?? {}
    expect(await onOldestNode(['scripts/contract.ts', url, '--key', key, '--only', 'waiting lists'])).toMatchObject({
      code: 0,
    })
  })

  it('countersign-verify accepts a checkpoint', async () => {
    const { vkey = '', logs = [] } = readLocalFacts(join(folder, 'state'))?.witness ?? {}
    const args = [`${url}/v1/public/transparency/checkpoint`, '--log', logs[0] ?? '', '--witness', vkey]
    const verify = () => onOldestNode(['scripts/countersign-verify.ts', ...args])
    const { stdout } = await until('a checkpoint is cosigned', verify, ({ code }) => code === 0)
    expect(stdout).toMatch(/^valid +checkpoint /)
  })

  it('the pages build', async () => {
    const build = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn', '--emptyOutDir', '--outDir']
    expect(await onOldestNode([...build, join(folder, 'pages')])).toMatchObject({ code: 0 })
  })
})
