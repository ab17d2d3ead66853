// The built Worker over HTTP, in wrangler's own test server, with tables, the invented sample and an operator.
import type { D1Database, DurableObjectNamespace, KVNamespace, R2Bucket } from '@cloudflare/workers-types'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createTestHarness } from 'wrangler'
import * as z from 'zod'
import { OPERATOR_LOG_NAME } from '../../../src/platform/ids.ts'
import { createWaitingListStore } from '../../../src/referral/waiting-lists/waiting-lists.store.ts'
import { bundleWorker } from '../../../scripts/workerd/build-bundle.ts'
import type { StorageBindings } from '../../../scripts/storage-bindings.ts'
import type { Emulator } from '../../../scripts/emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../../../scripts/local/emulated-providers.ts'
import { readMigrations } from '../../../scripts/migrations.ts'
import { publishSampleIfEmpty } from '../../../scripts/sample-dataset.ts'
import { contentOf } from '../entry-content.ts'
import { openConformance, type CheckedFetch } from './conformance.ts'

/** Keys are signed with it, and so are attestations: locally their key is made from it. */
export const PEPPER = new Uint8Array(32).fill(0xa1)

const OPERATOR_TOKEN = 'operator-token-for-tests-only-0123456789'

const SERVICE = 'test/support/e2e/behind-proxy/worker.ts'

type Env = StorageBindings & {
  ORGANISATIONS: DurableObjectNamespace
  PUBLIC_LOG: DurableObjectNamespace
  FILES_MIRROR?: R2Bucket
}

export type Deployment = {
  url: string
  operatorToken: string
  /** Fetches, and checks the answer against what the OpenAPI document declares for that route and status. */
  fetch: CheckedFetch
  operate<T>(method: string, path: string, body?: object): Promise<T>
  createKey(body?: object): Promise<{ key: string; id: string; organisationId: string }>
  env(): Promise<Env>
  /** The contents of the organisation's ledger entries, oldest first. */
  ledger(organisationId: string): Promise<Record<string, unknown>[]>
  /** The outcomes of the organisation's calls that left no entry, oldest first. */
  callsWithoutEntry(organisationId: string): Promise<string[]>
  /** The organisation's entries and their leaves, oldest first. */
  leaves(organisationId: string): Promise<{ entry: Uint8Array; hash: Uint8Array }[]>
  /** Every row, value and object in every store, as text. */
  everythingStored(organisationId: string): Promise<string>
  logs(): string[]
  close(): Promise<void>
}

/** Writes a changed copy of wrangler.toml into the folder, whose paths lead to the repository. Returns its path, for `deploy`. */
export function changedConfig(folder: string, change: (toml: string) => string): string {
  const file = join(folder, 'wrangler.toml')
  const toml = change(readFileSync('wrangler.toml', 'utf8'))
    .replace('main = "', `main = "${resolve()}/`)
    .replace('directory = "', `directory = "${resolve()}/`)
    .replaceAll('migrations_dir = "', `migrations_dir = "${resolve()}/`)
  writeFileSync(file, toml)
  return file
}

/** `emulator`: stands in for the providers, with `vars` for the readers' settings. Without it no provider has a key. */
export async function deploy({
  sample = true,
  secrets = {},
  vars = {},
  emulator,
  config = './wrangler.toml',
}: {
  sample?: boolean
  secrets?: Record<string, string>
  vars?: Record<string, string>
  emulator?: Pick<Emulator, 'url'>
  config?: string
} = {}): Promise<Deployment> {
  const harness = createTestHarness({
    workers: [
      {
        configPath: config,
        prebuiltWorkerDir: dirname(await bundleWorker(join(tmpdir(), 'service'), SERVICE)),
        vars: { ...(emulator === undefined ? {} : emulatedProviders(emulator.url, PREFERRED_ENDPOINTS)), ...vars },
        secrets: { KEY_PEPPERS: `a:${Buffer.from(PEPPER).toString('hex')}`, OPERATOR_TOKEN, ...secrets },
      },
    ],
  })
  const { url } = await harness.listen()
  const worker = harness.getWorker<Env>()
  const env = await worker.getEnv()
  const { DATASETS, FILES, DB } = env
  await makeTables(DB)
  if (sample) await publishSampleIfEmpty(createWaitingListStore({ kv: DATASETS, r2: FILES, now: Date.now }))
  const checkedFetch = await openConformance(url.origin)

  async function operate<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await checkedFetch(`/api/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as T
  }

  return {
    url: url.origin,
    operatorToken: OPERATOR_TOKEN,
    fetch: checkedFetch,
    operate,
    async createKey(body = {}) {
      const { id: organisationId } = await operate<{ id: string }>('POST', '/organisations', {
        name: 'A test practice',
      })
      const wanted = { prefix: 'vk_test_', name: 'A test key', ...body }
      const created = await operate<{ key: string; id: string }>(
        'POST',
        `/organisations/${organisationId}/keys`,
        wanted,
      )
      return { ...created, organisationId }
    },
    env: async () => env,
    ledger: async (organisationId) => {
      const sql = await worker.getDurableObjectStorage('ORGANISATIONS', { name: organisationId })
      const rows = await sql.exec('SELECT kind, entry, facts FROM entries ORDER BY position')
      return EntryRowsSchema.parse(rows).map(contentOf)
    },
    callsWithoutEntry: async (organisationId) => {
      const sql = await worker.getDurableObjectStorage('ORGANISATIONS', { name: organisationId })
      const rows = await sql.exec('SELECT outcome FROM calls ORDER BY before, n')
      return CallRowsSchema.parse(rows).map(({ outcome }) => outcome)
    },
    leaves: async (organisationId) => {
      const sql = await worker.getDurableObjectStorage('ORGANISATIONS', { name: organisationId })
      const rows = await sql.exec('SELECT entry, hash FROM entries ORDER BY position')
      return LeafRowsSchema.parse(rows).map(({ entry, hash }) => ({
        entry: new Uint8Array(entry),
        hash: new Uint8Array(hash),
      }))
    },
    everythingStored: async (organisationId) => {
      const objects = [
        ['ORGANISATIONS', organisationId],
        ['ORGANISATIONS', OPERATOR_LOG_NAME],
        ['PUBLIC_LOG', 'public'],
      ] as const
      const dumps = objects.map(async ([binding, name]) => {
        const object = await worker.getDurableObjectStorage(binding, { name })
        return dumpSql((query) => object.exec(query))
      })
      return (await Promise.all([...dumps, dumpKv(DATASETS), dumpR2(FILES), dumpD1(DB)])).join('\n')
    },
    logs: () => harness.getLogs().map(({ message }) => message),
    close: () => harness.close(),
  }
}

/** In one call: from here, each costs some milliseconds. It takes a statement a line. */
async function makeTables(db: D1Database): Promise<void> {
  const statements = readMigrations().flatMap((migration) => migration.statements)
  await db.exec(statements.map((statement) => statement.replaceAll(/\s*(?:--[^\n]*)?\n\s*/g, ' ').trim()).join('\n'))
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

export const withKey = (key: string, init: Init = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${key}`, ...init.headers },
})

/** A POST of this value as JSON. */
export const postJson = (key: string, body: unknown): RequestInit =>
  withKey(key, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const EntryRowsSchema = z.array(
  z.object({ kind: z.string(), entry: z.instanceof(ArrayBuffer), facts: z.string().nullable() }),
)

const CallRowsSchema = z.array(z.object({ outcome: z.string() }))

const LeafRowsSchema = z.array(z.object({ entry: z.instanceof(ArrayBuffer), hash: z.instanceof(ArrayBuffer) }))

const asText = (value: unknown): unknown =>
  value instanceof ArrayBuffer ? new TextDecoder('latin1').decode(value) : value

async function dumpSql(exec: (query: string) => Promise<unknown[]>): Promise<string> {
  const tables = (await exec(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  )) as { name: string }[]
  const rows = await Promise.all(tables.map(({ name }) => exec(`SELECT * FROM "${name}"`)))
  return JSON.stringify(rows, (_, value) => asText(value))
}

async function dumpD1(db: D1Database): Promise<string> {
  return dumpSql(async (query) => (await db.prepare(query).all()).results)
}

async function dumpKv(kv: KVNamespace): Promise<string> {
  const texts: string[] = []
  let cursor: string | undefined
  do {
    const page = await kv.list({ cursor: cursor ?? null })
    for (const { name } of page.keys) texts.push(`${name} ${await kv.get(name, 'text')}`)
    cursor = page.list_complete ? undefined : page.cursor
  } while (cursor !== undefined)
  return texts.join('\n')
}

async function dumpR2(r2: R2Bucket): Promise<string> {
  const texts: string[] = []
  let cursor: string | undefined
  do {
    const page = await r2.list(cursor === undefined ? {} : { cursor })
    for (const { key } of page.objects) texts.push(`${key} ${await (await r2.get(key))?.text()}`)
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return texts.join('\n')
}
