// The service on workerd with organisations that have as many entries as they are asked to, most of them in sealed objects.
import { join } from 'node:path'
import { z } from 'zod'
import { readProject } from '../../bench/service/project.ts'
import { newSecrets, withSettings } from '../../bench/service/start-service.ts'
import { bundleWorker } from '../../bench/workerd/bundle.ts'
import { startServer, type Server } from '../../bench/workerd/server.ts'
import { callOperator } from '../../operator/client.ts'
import { FILL_PATH, PUT_AWAY_PATH } from './paths.ts'

export type ExportService = {
  server: Server
  /** A new organisation of so many entries; a key that may export it, and call models. */
  found: (entries: number) => Promise<string>
}

const CALLS_AT_ONCE = 500
/** Entries that are younger than a week. */
const AT_HAND = 100_000

export async function startExportService(folder: string): Promise<ExportService> {
  const [bundle, storage, project] = await Promise.all([
    bundleWorker(join(folder, 'worker'), 'scripts/bench/service/export-worker.ts'),
    bundleWorker(join(folder, 'storage'), 'scripts/bench/workerd/storage-worker.ts'),
    readProject(),
  ])
  const secrets = newSecrets()
  // Nothing is asked of it: no organisation here enables a provider.
  const bindings = withSettings(project.bindings, secrets, {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: 'http://127.0.0.1:9',
  })
  const server = await startServer(
    folder,
    { bundle, bindings },
    { bundle: storage, values: {}, schema: project.schema },
    { inspector: '127.0.0.1:0' },
  )
  const target = { url: server.url, token: secrets.token }
  const ask = async (path: string): Promise<void> => {
    // On a connection of its own: on a machine under load the server may close one that has idled, while it is used again.
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers: { connection: 'close' } })
    if (response.status !== 204) throw new Error(`${path}: ${response.status}`)
  }

  async function found(entries: number): Promise<string> {
    const organisation = { name: 'Soak', tier: 'enterprise', requests_per_minute: 30_000 }
    const { id } = await callOperator(target, IdSchema, 'POST', '/organisations', organisation)
    const wanted = { prefix: 'aqta_', name: 'Soak', scopes: ['chat', 'manage'] }
    const { key } = await callOperator(target, KeySchema, 'POST', `/organisations/${id}/keys`, wanted)
    const publicKey = await signingKey(server.url)
    const calls = entries / 2
    for (let done = 0; done < calls; done += CALLS_AT_ONCE) {
      const now = Math.min(CALLS_AT_ONCE, calls - done)
      const query = new URLSearchParams({
        calls: String(now),
        after: String(calls - done - now),
        key: publicKey,
        old: String(2 * (calls - done) > AT_HAND),
      })
      await ask(`${FILL_PATH}${id}?${query.toString()}`)
    }
    process.stderr.write(`${entries} entries are written\n`)
    await ask(`${PUT_AWAY_PATH}${id}`)
    return key
  }

  return { server, found }
}

const IdSchema = z.object({ id: z.string() })
const KeySchema = z.object({ key: z.string() })
const PublicKeySchema = z.object({ public_key: z.string() })

async function signingKey(url: string): Promise<string> {
  const answer: unknown = await (await fetch(`${url}/v1/attestation/public-key`)).json()
  return PublicKeySchema.parse(answer).public_key
}
