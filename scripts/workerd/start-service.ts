// The service itself on workerd, with secrets of this run, the sample published, and keys issued by its own operator.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { KeyPrefix } from '../../src/keys/key-format.ts'
import type { PolicyDocument } from '../../src/policies/document/policy-document.ts'
import { callOperator, type Target } from '../operator/client.ts'
import { bundleService, bundleWorker } from './bundle.ts'
import type { Binding } from './config.ts'
import { startServer, type Server, type StartOptions } from './server.ts'
import { readProject, type ServiceProject } from './project.ts'
import { sampleValues } from './sample-values.ts'

const KEYS_AT_ONCE = 16

const CreatedSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

export type Service = { server: Server; target: Target }

type ServiceOptions = StartOptions & { vars?: Record<string, string>; project?: ServiceProject; worker?: string }

/**
 * `vars`: further settings of the Worker, such as those that put the emulator in the providers' place. `project`: another
 * checkout, whose service is run by its own settings. `worker`: a Worker of the benches around the service, in its place.
 */
export async function startService(
  folder: string,
  { vars = {}, project, worker: around, ...options }: ServiceOptions = {},
): Promise<Service> {
  const { config, compatibility, bindings, schema } = project ?? (await readProject())
  const place = join(folder, 'worker')
  const [bundle, storage, values] = await Promise.all([
    around === undefined ? bundleService(place, config) : bundleWorker(place, around),
    bundleWorker(join(folder, 'storage'), 'scripts/workerd/storage-worker.ts'),
    sampleValues(),
  ])
  const secrets = newSecrets()
  const worker = { bundle, compatibility, bindings: withSettings(bindings, secrets, vars) }
  const server = await startServer(folder, worker, { bundle: storage, values, schema }, options)
  return { server, target: { url: server.url, token: secrets.token } }
}

/** `pepper`: hexadecimal. */
export type Secrets = { token: string; pepper: string }

export const newSecrets = (): Secrets => ({
  token: randomBytes(32).toString('base64url'),
  pepper: randomBytes(32).toString('hex'),
})

/** The project's own bindings with this run's secrets, and with `vars` in the place of its settings of those names. */
export function withSettings(
  bindings: readonly Binding[],
  { token, pepper }: Secrets,
  vars: Record<string, string>,
): Binding[] {
  const texts = { ...vars, KEY_PEPPERS: `1:${pepper}`, OPERATOR_TOKEN: token }
  return [
    ...bindings.filter(({ name }) => !(name in texts)),
    ...Object.entries(texts).map(([name, value]): Binding => ({ kind: 'text', name, value })),
  ]
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

/**
 * One key each of as many organisations, whose limits no run reaches. Their prompts may go to OpenAI.
 *
 * @param policy of each of them; none where it is left out
 */
export async function issueGatewayKeys(
  target: Target,
  organisations: number,
  policy?: PolicyDocument,
): Promise<string[]> {
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
    const wanted = { prefix: 'aqta_', name: 'Bench', scopes: ['chat', 'manage'] }
    const { key } = await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, wanted)
    if (policy !== undefined) await putPolicy(target, key, policy)
    keys.push(key)
  }
  return keys
}

async function putPolicy({ url }: Target, key: string, policy: PolicyDocument): Promise<void> {
  const response = await fetch(`${url}/api/policies`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(policy),
  })
  if (!response.ok) throw new Error(`the policy was not taken: ${await response.text()}`)
}
