// The service itself on workerd, with secrets of this run, the sample published, and keys issued by its own operator.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { KeyPrefix } from '../../../src/keys/key-format.ts'
import { callOperator, type Target } from '../../operator/client.ts'
import { bundleService, bundleWorker, PROJECT } from '../workerd/bundle.ts'
import type { Binding } from '../workerd/config.ts'
import { startServer, type Server, type StartOptions } from '../workerd/server.ts'
import { sampleValues } from './sample-values.ts'

const MIGRATIONS = join(PROJECT, 'data/migrations')
const KEYS_AT_ONCE = 16

const CreatedSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

export type Service = { server: Server; target: Target }

/** `vars`: further settings of the Worker, such as those that put the emulator in the providers' place. */
export async function startService(
  folder: string,
  { vars = {}, ...options }: StartOptions & { vars?: Record<string, string> } = {},
): Promise<Service> {
  const [worker, storage, values, schema] = await Promise.all([
    bundleService(join(folder, 'worker')),
    bundleWorker(join(folder, 'storage'), 'scripts/bench/workerd/storage-worker.ts'),
    sampleValues(),
    databaseSchema(),
  ])
  const secrets = newSecrets()
  const bindings = serviceBindings(secrets, vars)
  const server = await startServer(folder, { bundle: worker, bindings }, { bundle: storage, values, schema }, options)
  return { server, target: { url: server.url, token: secrets.token } }
}

/** `pepper`: hexadecimal. */
export type Secrets = { token: string; pepper: string }

export const newSecrets = (): Secrets => ({
  token: randomBytes(32).toString('base64url'),
  pepper: randomBytes(32).toString('hex'),
})

/** What the service is bound to, as wrangler.toml has it for this machine. */
export const serviceBindings = ({ token, pepper }: Secrets, vars: Record<string, string>): Binding[] => [
  { kind: 'text', name: 'ENVIRONMENT', value: 'local' },
  { kind: 'text', name: 'JURISDICTIONS', value: 'off' },
  { kind: 'text', name: 'KEY_PEPPERS', value: `1:${pepper}` },
  { kind: 'text', name: 'OPERATOR_TOKEN', value: token },
  ...Object.entries(vars).map(([name, value]): Binding => ({ kind: 'text', name, value })),
  { kind: 'kv', name: 'DATASETS' },
  { kind: 'r2', name: 'FILES' },
  { kind: 'd1', name: 'DB' },
  { kind: 'durable_object', name: 'ORGANISATIONS', className: 'Organisation' },
  { kind: 'durable_object', name: 'PUBLIC_LOG', className: 'PublicLog' },
  { kind: 'durable_object', name: 'PUBLIC_LOG_INDEX', className: 'PublicLogIndex' },
]

/** The statements that make the tables of D1. */
export async function databaseSchema(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).toSorted()
  return (await Promise.all(files.map((file) => readFile(join(MIGRATIONS, file), 'utf8')))).join('\n')
}

/** Keys of each organisation in turn. */
export async function issueKeys(
  target: Target,
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

/** One key each of as many organisations, whose limits no run reaches. Their prompts may go to OpenAI. */
export async function issueGatewayKeys(target: Target, organisations: number): Promise<string[]> {
  const keys: string[] = []
  for (let i = 1; i <= organisations; i++) {
    const organisation = {
      name: `Bench ${i}`,
      tier: 'enterprise',
      enabled_providers: ['openai'],
      requests_per_minute: 30_000,
      requests_per_month: 1_000_000_000,
    }
    const { id } = await callOperator(target, CreatedSchema, 'POST', '/organisations', organisation)
    const key = { prefix: 'aqta_', name: 'Bench' }
    keys.push((await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, key)).key)
  }
  return keys
}
