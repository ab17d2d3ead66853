// The service itself on workerd, with secrets of this run, the sample published, and keys issued by its own operator.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { callOperator, type Target } from '../../operator/client.ts'
import { bundleService, bundleWorker, PROJECT } from '../workerd/bundle.ts'
import type { Binding } from '../workerd/config.ts'
import { startServer, type Server } from '../workerd/server.ts'
import { sampleValues } from './sample-values.ts'

const MIGRATIONS = join(PROJECT, 'data/migrations')
const KEYS_AT_ONCE = 16

const CreatedSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

export type Service = { server: Server; target: Target }

export async function startService(folder: string): Promise<Service> {
  const [worker, storage, values, schema] = await Promise.all([
    bundleService(join(folder, 'worker')),
    bundleWorker(join(folder, 'storage'), 'scripts/bench/workerd/storage-worker.ts'),
    sampleValues(),
    databaseSchema(),
  ])
  const token = randomBytes(32).toString('base64url')
  const bindings: Binding[] = [
    { kind: 'text', name: 'ENVIRONMENT', value: 'local' },
    { kind: 'text', name: 'JURISDICTIONS', value: 'off' },
    { kind: 'text', name: 'KEY_PEPPERS', value: `1:${randomBytes(32).toString('hex')}` },
    { kind: 'text', name: 'OPERATOR_TOKEN', value: token },
    { kind: 'kv', name: 'DATASETS' },
    { kind: 'r2', name: 'FILES' },
    { kind: 'd1', name: 'DB' },
    { kind: 'durable_object', name: 'ORGANISATIONS', className: 'Organisation' },
  ]
  const server = await startServer(folder, { bundle: worker, bindings }, { bundle: storage, values, schema })
  return { server, target: { url: server.url, token } }
}

async function databaseSchema(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).toSorted()
  return (await Promise.all(files.map((file) => readFile(join(MIGRATIONS, file), 'utf8')))).join('\n')
}

/** Sandbox keys, of each organisation in turn. */
export async function issueKeys(target: Target, organisations: number, keysOfEach: number): Promise<string[]> {
  const organisationIds: string[] = []
  for (let i = 1; i <= organisations; i++) {
    const { id } = await callOperator(target, CreatedSchema, 'POST', '/organisations', { name: `Bench ${i}` })
    organisationIds.push(id)
  }
  const wanted = Array.from({ length: keysOfEach }, () => organisationIds).flat()
  const keys: string[] = []
  for (let start = 0; start < wanted.length; start += KEYS_AT_ONCE) {
    const issued = wanted.slice(start, start + KEYS_AT_ONCE).map(async (id, offset) => {
      const key = { prefix: 'vk_test_', name: `Bench ${start + offset}` }
      return (await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, key)).key
    })
    keys.push(...(await Promise.all(issued)))
  }
  return keys
}
