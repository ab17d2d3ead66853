// Starts the service on workerd for tests, benchmarks and checks, with new secrets and the invented sample. Also creates
// organisations and issues their keys.
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import type { KeyPrefix } from '../../src/keys/key-format.ts'
import { sha256Hex } from '../../src/platform/sha256.ts'
import type { PolicyDocument } from '../../src/policies/document/policy-document.ts'
import type { ProviderId } from '../../src/providers/provider-registry.ts'
import { manifestKey, POINTER_KEY } from '../../src/referral/waiting-lists/stored-version.ts'
import type { WaitingListStore } from '../../src/referral/waiting-lists/waiting-lists.store.ts'
import { readMigrations } from '../migrations.ts'
import { callOperator, type OperatorTarget } from '../operator/operator-client.ts'
import { publishSampleIfEmpty } from '../sample-dataset.ts'
import { bundleService, bundleWorker, WRANGLER_TOML, PROJECT_FOLDER } from './build-bundle.ts'
import type { Binding } from './workerd-config.ts'
import { startWorkerd, type RunningWorkerd, type StartOptions } from './start-workerd.ts'

export type RunningService = { server: RunningWorkerd; target: OperatorTarget }

/** Build options. `vars`: further settings of the Worker. `worker`: the entry of a Worker around the service. */
type BuildOptions = { vars?: Record<string, string>; worker?: string }

/** A service that can be started repeatedly on the same storage with the same secrets. */
export type BuiltService = { start: (options?: StartOptions, bindings?: readonly Binding[]) => Promise<RunningService> }

export async function buildService(folder: string, { vars = {}, worker }: BuildOptions): Promise<BuiltService> {
  const bindings = readBindings()
  const place = join(folder, 'worker')
  const [bundle, storage, values] = await Promise.all([
    worker === undefined ? bundleService(place) : bundleWorker(place, worker),
    bundleWorker(join(folder, 'storage'), 'scripts/workerd/storage-worker.ts'),
    sampleValues(),
  ])
  const token = randomBytes(32).toString('base64url')
  const texts = { ...vars, KEY_PEPPERS: `1:${randomBytes(32).toString('hex')}`, OPERATOR_TOKEN: token }
  const all = [
    ...bindings.filter(({ name }) => !(name in texts)),
    ...Object.entries(texts).map(([name, value]): Binding => ({ kind: 'text', name, value })),
  ]
  return {
    async start(options, more = []) {
      const main = { bundle, bindings: [...all, ...more] }
      const server = await startWorkerd(folder, main, { bundle: storage, values, schema: readSchema() }, options)
      return { server, target: { url: server.url, token } }
    },
  }
}

export const startService = async (folder: string, options: BuildOptions): Promise<RunningService> =>
  (await buildService(folder, options)).start()

const BindingSchema = z.object({ binding: z.string() })

const SettingsSchema = z.object({
  assets: BindingSchema.extend({ directory: z.string() }),
  vars: z.record(z.string(), z.unknown()),
  kv_namespaces: z.array(BindingSchema),
  r2_buckets: z.array(BindingSchema),
  d1_databases: z.array(BindingSchema),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
})

/** Returns the statements that create the tables of D1. */
const readSchema = (): string =>
  readMigrations()
    .flatMap(({ statements }) => statements.map((statement) => `${statement};`))
    .join('\n')

/** Returns the Worker's bindings in wrangler.toml. */
function readBindings(): Binding[] {
  const settings = SettingsSchema.parse(unstable_readConfig({ config: WRANGLER_TOML }, { hideWarnings: true }))
  return [
    { kind: 'files', name: settings.assets.binding, folder: resolve(PROJECT_FOLDER, settings.assets.directory) },
    ...Object.entries(settings.vars).map(([name, value]) => varBinding(name, value)),
    ...settings.kv_namespaces.map(({ binding }): Binding => ({ kind: 'kv', name: binding })),
    ...settings.r2_buckets.map(({ binding }): Binding => ({ kind: 'r2', name: binding })),
    ...settings.d1_databases.map(({ binding }): Binding => ({ kind: 'd1', name: binding })),
    ...settings.durable_objects.bindings.map(({ name, class_name: className }): Binding => ({
      kind: 'durable_object',
      name,
      className,
    })),
  ]
}

const varBinding = (name: string, value: unknown): Binding =>
  typeof value === 'string' ? { kind: 'text', name, value } : { kind: 'json', name, value }

/** Returns the invented sample's values in KV. The service's own code publishes it into a store in memory. */
async function sampleValues(): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  await publishSampleIfEmpty(memoryStore(values))
  return values
}

/** A store that collects the values written to KV. Nothing is read, and serving the figures does not need the file. */
function memoryStore(values: Record<string, string>): WaitingListStore {
  return {
    findPointer: async () => ({ outcome: 'no_dataset' }),
    lookUpPointer: async () => ({ outcome: 'no_dataset' }),
    readManifest: async () => null,
    readLists: async () => null,
    openFile: async () => ({ outcome: 'not_found' }),
    hasFile: async () => false,
    findManifest: async () => null,
    listStored: async () => [],
    readStored: async () => [],
    deleteManifests: async () => {},
    saveFile: async () => {},
    saveLists: async (key, value) => {
      values[key] = JSON.stringify(value)
    },
    saveManifest: async (manifest) => {
      const text = JSON.stringify(manifest)
      const key = manifestKey(manifest.version, sha256Hex(text))
      values[key] = text
      return key
    },
    savePointer: async (pointer) => {
      values[POINTER_KEY] = JSON.stringify(pointer)
    },
  }
}

const KEYS_AT_ONCE = 16

const CreatedSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

/** Creates organisations and issues `keysOfEach` keys for each. Returns the keys, one of each organisation in turn. */
export async function issueKeys(
  target: OperatorTarget,
  organisations: number,
  keysOfEach: number,
  prefix: KeyPrefix = 'vk_test_',
): Promise<string[]> {
  const organisationIds: string[] = []
  for (let i = 1; i <= organisations; i++) {
    const { id } = await callOperator(target, CreatedSchema, 'POST', '/organisations', { name: `Bench ${i}` })
    organisationIds.push(id)
  }
  const wanted = Array.from({ length: keysOfEach }, () => organisationIds).flat()
  const keys: string[] = []
  for (let start = 0; start < wanted.length; start += KEYS_AT_ONCE) {
    const issued = wanted.slice(start, start + KEYS_AT_ONCE).map(async (id, offset) => {
      const key = { prefix, name: `Bench ${start + offset}` }
      return (await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, key)).key
    })
    keys.push(...(await Promise.all(issued)))
  }
  return keys
}

/**
 * Creates organisations with limits that no run reaches. Issues one gateway key for each.
 *
 * @param policy the policy of each organisation; none by default
 * @param providers its enabled providers
 */
export async function issueGatewayKeys(
  target: OperatorTarget,
  organisations: number,
  policy?: PolicyDocument,
  providers: readonly ProviderId[] = ['openai'],
): Promise<string[]> {
  const keys: string[] = []
  for (let i = 1; i <= organisations; i++) {
    const organisation = {
      name: `Bench ${i}`,
      tier: 'enterprise',
      enabled_providers: providers,
      requests_per_minute: 30_000,
      requests_per_month: 1_000_000_000,
    }
    const { id } = await callOperator(target, CreatedSchema, 'POST', '/organisations', organisation)
    const wanted = { prefix: 'aqta_', name: 'Bench', scopes: ['chat', 'manage'] }
    const { key } = await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, wanted)
    if (policy !== undefined) await putPolicy(target, key, policy)
    keys.push(key)
  }
  return keys
}

async function putPolicy({ url }: OperatorTarget, key: string, policy: PolicyDocument): Promise<void> {
  const response = await fetch(`${url}/api/policies`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(policy),
  })
  if (!response.ok) throw new Error(`The policy was refused: ${await response.text()}`)
}
