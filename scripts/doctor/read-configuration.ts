// Reads what the configuration checks judge: an environment of wrangler.toml, its secrets, and the migrations of this release.
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { readJson } from '../../src/platform/json.ts'
import { UsageError } from '../command-line.ts'
import { readDevVars } from '../local/dev-vars.ts'
import { findEditedMigrations, readMigrations } from '../migrations.ts'
import { WRANGLER, WRANGLER_TOML, wranglerEnvironment } from '../wrangler-settings.ts'

const RouteSchema = z.union([z.string(), z.looseObject({ pattern: z.string() }).transform(({ pattern }) => pattern)])

const EnvironmentSchema = z.looseObject({
  routes: z.array(RouteSchema).default([]),
  workers_dev: z.boolean().optional(),
  preview_urls: z.boolean().optional(),
  compatibility_flags: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.unknown()),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
  send_email: z.array(z.looseObject({ name: z.string() })).default([]),
  kv_namespaces: z.array(z.looseObject({ binding: z.string(), id: z.string().optional() })),
  r2_buckets: z.array(z.looseObject({ bucket_name: z.string().optional(), jurisdiction: z.string().optional() })),
  d1_databases: z.array(z.looseObject({ binding: z.string(), database_id: z.string().optional() })),
})

const ENVIRONMENTS = ['production', 'staging'] as const

/** Secrets by name; null if only the name is known. */
export type KnownSecrets = Readonly<Record<string, string | null>>

export type ConfigurationFacts = {
  environment: string
  config: z.infer<typeof EnvironmentSchema>
  /** What the top of wrangler.toml has, and this environment neither repeats nor inherits. */
  notRepeated: readonly string[]
  /** Names of Workers and ids of storage and limits that several environments have. */
  shared: readonly string[]
  /** Null: nobody said what the account has. */
  secrets: KnownSecrets | null
  migrations: { names: readonly string[]; edited: readonly string[] }
  now: number
}

/** Throws UsageError for an environment that is not deployed. */
export function readConfiguration(environment: string, secrets: KnownSecrets | null): ConfigurationFacts {
  requireDeployed(environment)
  const top = resolve(undefined)
  const own = resolve(environment)
  return {
    environment,
    config: EnvironmentSchema.parse(own),
    notRepeated: [...findNotRepeated(top, own), ...bindingsOf(top).filter((one) => !bindingsOf(own).includes(one))],
    shared: findShared([top, ...ENVIRONMENTS.map((one) => resolve(one))]),
    secrets,
    migrations: { names: readMigrations().map(({ name }) => name), edited: findEditedMigrations() },
    now: Date.now(),
  }
}

function requireDeployed(environment: string): void {
  if (!ENVIRONMENTS.some((one) => one === environment))
    throw new UsageError(`${environment} is not deployed. Use --env ${ENVIRONMENTS.join(' or --env ')}.`)
}

function resolve(env: string | undefined): Record<string, unknown> {
  try {
    return z.looseObject({}).parse(unstable_readConfig({ config: WRANGLER_TOML, env }, { hideWarnings: true }))
  } catch (thrown) {
    const [reason = ''] = thrown instanceof Error ? thrown.message.split('\n', 1) : []
    throw new UsageError(`wrangler.toml cannot be read: ${reason}`)
  }
}

/** wrangler resolves a member that an environment does not inherit to nothing. */
const findNotRepeated = (top: object, own: Record<string, unknown>): string[] =>
  Object.entries(top).flatMap(([name, value]) => (!isEmpty(value) && isEmpty(own[name]) ? [name] : []))

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.values(value).every((member) => isEmpty(member)))

const OwnSchema = z.looseObject({
  name: z.string(),
  kv_namespaces: z.array(z.looseObject({ binding: z.string(), id: z.string().optional() })).default([]),
  r2_buckets: z.array(z.looseObject({ binding: z.string(), bucket_name: z.string().optional() })).default([]),
  d1_databases: z.array(z.looseObject({ binding: z.string(), database_id: z.string().optional() })).default([]),
  ratelimits: z.array(z.looseObject({ name: z.string(), namespace_id: z.string() })).default([]),
  durable_objects: z.object({ bindings: z.array(z.looseObject({ name: z.string(), class_name: z.string() })) }),
  assets: z.looseObject({ binding: z.string().optional() }).optional(),
  version_metadata: z.looseObject({ binding: z.string() }).optional(),
})

/** Returns names of Workers and ids of storage and limits that several environments have. */
function findShared(parts: readonly object[]): string[] {
  const ids = parts.flatMap((part) => {
    const own = OwnSchema.parse(part)
    return [
      `name ${own.name}`,
      ...own.kv_namespaces.map(({ id }) => `KV ${id}`),
      ...own.r2_buckets.map(({ bucket_name: name }) => `bucket ${name}`),
      ...own.d1_databases.map(({ database_id: id }) => `D1 ${id}`),
      ...own.ratelimits.map(({ namespace_id: id }) => `rate limit ${id}`),
    ]
  })
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))]
}

/** Returns the bindings by name; those of objects with their class, since another class is another object. */
function bindingsOf(part: object): string[] {
  const own = OwnSchema.parse(part)
  return [
    ...[...own.kv_namespaces, ...own.r2_buckets, ...own.d1_databases].map(({ binding }) => binding),
    ...own.ratelimits.map(({ name }) => name),
    ...own.durable_objects.bindings.map(({ name, class_name: of }) => `${name} (${of})`),
    ...[own.assets?.binding, own.version_metadata?.binding].filter((name) => name !== undefined),
  ]
}

/** Reads a dotenv file, or what `wrangler secret list` printed. Throws UsageError if it cannot be read. */
export function readSecretsFile(file: string): KnownSecrets {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UsageError(`${file} is not a file. npm run secrets makes it.`)
  const text = readFileSync(file, 'utf8')
  // An empty value is no secret.
  if (!text.trimStart().startsWith('['))
    return Object.fromEntries(Object.entries(readDevVars(file)).filter(([, value]) => value !== ''))
  const listed = readSecretList(text)
  if (listed === null) throw new UsageError(`${file} is not a list of secrets, as wrangler secret list prints it.`)
  return listed
}

/** Asks the account which secrets it has. Returns null if it does not say, as before the first deployment. */
export async function listSecrets(environment: string): Promise<KnownSecrets | null> {
  requireDeployed(environment)
  const args = [WRANGLER, 'secret', 'list', '--env', environment, '--config', WRANGLER_TOML]
  const env = await wranglerEnvironment()
  const run = promisify(execFile)(process.execPath, args, { env, timeout: ACCOUNT_LIMIT_MS })
  return run.then(
    ({ stdout }) => readSecretList(stdout),
    () => null,
  )
}

const ACCOUNT_LIMIT_MS = 30_000

const NamesSchema = z.array(z.looseObject({ name: z.string() }))

function readSecretList(text: string): KnownSecrets | null {
  const read = NamesSchema.safeParse(readJson(text))
  return read.success ? Object.fromEntries(read.data.map(({ name }) => [name, null])) : null
}
