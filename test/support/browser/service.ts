// The service as `npm start` runs it, once for all tests in a browser: on each tier an organisation in which nothing has happened yet,
// and one with a few weeks of invented calls.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import * as z from 'zod'
import { readDevVars } from '../../../scripts/local/dev-vars.ts'
import { readLocalFacts } from '../../../scripts/local/local-facts.ts'
import { freePort, startLocally, type LocalRun } from '../e2e/local-start.ts'

const PersonSchema = z.object({ email: z.string(), password: z.string() })
const DemoSchema = z.object({
  sandboxKey: z.string(),
  liveKey: z.string(),
  tenants: z.record(z.string(), PersonSchema.extend({ key: z.string() })),
})
const FilledSchema = z.object({ owner: PersonSchema, key: z.string(), organisationId: z.string() })

export type Person = z.infer<typeof PersonSchema>

const ServiceSchema = z.object({
  origin: z.string(),
  mailbox: z.string(),
  /** URL of the receiver of webhooks on this machine. */
  receiver: z.string(),
  /** URL of what stands in for the providers. */
  emulator: z.string(),
  operatorToken: z.string(),
  sandboxKey: z.string(),
  liveKey: z.string(),
  /** By tier, each with the key of its organisation. */
  owners: DemoSchema.shape.tenants,
  /** The organisation that has calls. */
  filled: FilledSchema,
})

export type BrowserService = z.infer<typeof ServiceSchema>

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file that says what the service is, once it runs. */
    serviceFile: string
  }
}

const SCRIPT = ['node', '--env-file=.env', 'scripts/start.ts']
const WEEKS = ['--demo', '--demo-days', '35', '--demo-calls', '12']

/** Other tests do not wait until it runs. */
export default async function startService(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-browser-'))
  const file = join(folder, 'service.json')
  project.provide('serviceFile', file)
  const starting = startFilled(folder).then(async ({ run, service }) => {
    await writeWhole(file, service)
    return run
  })
  starting.catch((thrown: unknown) => writeWhole(file, { failed: String(thrown) }))
  return async () => {
    await (await starting).stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A start beside other tests takes half a minute. */
const STARTS_WITHIN_MS = 600_000

/** Rejects where it did not start. */
export async function runningService(file: string): Promise<BrowserService> {
  const end = Date.now() + STARTS_WITHIN_MS
  while (!existsSync(file)) {
    if (Date.now() > end) throw new Error(`The service did not start within ${STARTS_WITHIN_MS / 60_000} minutes.`)
    await sleep(100)
  }
  const written: unknown = JSON.parse(await readFile(file, 'utf8'))
  const read = ServiceSchema.safeParse(written)
  if (read.success) return read.data
  throw new Error(`The service did not start: ${JSON.stringify(written)}`)
}

/** The organisation that has calls is of invented data. */
export async function startFilled(folder: string): Promise<{ run: LocalRun; service: BrowserService }> {
  const port = await freePort()
  const filling = await startLocally({ folder, port, command: [...SCRIPT, ...WEEKS] })
  await filling.stop()
  const run = await startLocally({ folder, port, command: SCRIPT })
  const demo = DemoSchema.parse(await readState(folder, 'demo-keys.json'))
  const filled = FilledSchema.parse(await readState(folder, 'demo-year.json'))
  const facts = readLocalFacts(join(folder, 'state'))
  const { mailbox = '', webhookReceiver: receiver = '' } = facts ?? {}
  const emulator = facts?.emulator ?? ''
  const { sandboxKey, liveKey, tenants: owners } = demo
  return {
    run,
    service: {
      // Passkeys work by a name only.
      origin: `http://localhost:${port}`,
      mailbox,
      receiver,
      emulator,
      operatorToken: readDevVars(join(folder, 'dev.vars'))['OPERATOR_TOKEN'] ?? '',
      sandboxKey,
      liveKey,
      owners,
      filled,
    },
  }
}

async function writeWhole(file: string, content: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(content))
  await rename(`${file}.part`, file)
}

const readState = async (folder: string, name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, 'state', name), 'utf8'))
