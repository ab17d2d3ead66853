// Gives commands the Worker's storage bindings on this machine, those of `npm start`. So the same store code runs in the Worker and in
// commands.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { D1Database, KVNamespace, R2Bucket } from '@cloudflare/workers-types'
import { getPlatformProxy, unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { createWaitingListStore, type WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { guardRuntimes } from './kill-runtimes.ts'
import { lockFolder } from './lock-folder.ts'

const ROOT = join(import.meta.dirname, '..')

export type StorageBindings = { DATASETS: KVNamespace; FILES: R2Bucket; DB: D1Database }

export type StorageOptions = {
  /** The folder of local state. Undefined means `.wrangler/state` of the project. */
  persistTo?: string | undefined
  /** The environment of wrangler.toml whose ids are used, on this machine too. Undefined means the local one. */
  environment?: string | undefined
}

/**
 * Opens the storage, runs `work`, and always closes the storage. Only one command at a time opens this machine's storage. Two
 * would block each other by database locks and lose calls.
 */
export async function withBindings<Result>(
  { persistTo, environment }: StorageOptions,
  work: (bindings: StorageBindings) => Promise<Result>,
): Promise<Result> {
  const state = persistTo ?? join(ROOT, '.wrangler/state')
  const unlock = await lockState(state)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-storage-'))
  const { ended, release } = guardRuntimes()
  try {
    const configPath = join(folder, 'wrangler.json')
    await writeFile(configPath, JSON.stringify(storageConfig(environment)))
    const opening = getPlatformProxy<StorageBindings>({
      configPath,
      envFiles: [],
      persist: { path: join(state, 'v3') },
      remoteBindings: false,
    })
    const proxy = await Promise.race([opening, ended])
    try {
      return await Promise.race([work(proxy.env), ended])
    } finally {
      await Promise.race([proxy.dispose(), ended])
    }
  } finally {
    release()
    unlock()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Opens the store of waiting lists for `work` and closes it afterwards. */
export const withWaitingListStore = <Result>(
  options: StorageOptions,
  work: (store: WaitingListStore) => Promise<Result>,
): Promise<Result> =>
  withBindings(options, ({ DATASETS, FILES }) =>
    work(createWaitingListStore({ kv: DATASETS, r2: FILES, now: Date.now })),
  )

async function lockState(state: string): Promise<() => void> {
  await mkdir(state, { recursive: true })
  return lockFolder(state, `Another command uses the storage in ${state}. Wait until it ends, then try again.`)
}

// The used part of wrangler's resolved configuration. Every member of a binding is passed on.
const BindingSchema = z.array(z.looseObject({ binding: z.string() }))
const ConfigSchema = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  kv_namespaces: BindingSchema,
  r2_buckets: BindingSchema,
  d1_databases: BindingSchema,
})

/** Returns only the storage bindings of wrangler.toml: the proxy cannot run Durable Objects and warns about them. */
function storageConfig(env: string | undefined) {
  const resolved: unknown = unstable_readConfig({ config: join(ROOT, 'wrangler.toml'), env }, { hideWarnings: true })
  const { name, ...config } = ConfigSchema.parse(resolved)
  return { name: `${name}-storage`, ...config }
}
