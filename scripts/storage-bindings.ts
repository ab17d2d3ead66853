// Gives the operator's commands the Worker's storage bindings: the local storage of `npm start`, or that of a deployed
// environment. So the same store code runs in the Worker and in commands.
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
  /** The environment of wrangler.toml whose deployed storage is used. Undefined means local storage. */
  remoteEnvironment?: string | undefined
}

/**
 * Opens the storage, runs `work`, and always closes the storage. Only one command at a time opens this machine's storage. Two
 * would block each other by database locks and lose calls.
 */
export async function withBindings<Result>(
  { persistTo, remoteEnvironment }: StorageOptions,
  work: (bindings: StorageBindings) => Promise<Result>,
): Promise<Result> {
  const state = persistTo ?? join(ROOT, '.wrangler/state')
  const unlock = remoteEnvironment === undefined ? await lockState(state) : () => {}
  const folder = await mkdtemp(join(tmpdir(), 'countersign-storage-'))
  const { ended, release } = guardRuntimes()
  try {
    const configPath = join(folder, 'wrangler.json')
    await writeFile(configPath, JSON.stringify(storageConfig(remoteEnvironment)))
    const opening = getPlatformProxy<StorageBindings>({
      configPath,
      envFiles: [],
      persist: { path: join(state, 'v3') },
      remoteBindings: remoteEnvironment !== undefined,
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
const ConfigSchema = z.looseObject({
  name: z.string(),
  compatibility_date: z.string(),
  account_id: z.string().optional(),
  kv_namespaces: BindingSchema,
  r2_buckets: BindingSchema,
  d1_databases: BindingSchema,
})

/** Returns only the storage bindings of wrangler.toml: the proxy cannot run Durable Objects and warns about them. */
function storageConfig(environment: string | undefined) {
  const remote = environment !== undefined
  const resolved: unknown = unstable_readConfig(
    { config: join(ROOT, 'wrangler.toml'), ...(remote ? { env: environment } : {}) },
    { hideWarnings: true },
  )
  const config = ConfigSchema.parse(resolved)
  const open = (bindings: z.infer<typeof BindingSchema>) => bindings.map((binding) => ({ ...binding, remote }))
  return {
    name: `${config.name}-storage`,
    compatibility_date: config.compatibility_date,
    ...(config.account_id === undefined ? {} : { account_id: config.account_id }),
    kv_namespaces: open(config.kv_namespaces),
    r2_buckets: open(config.r2_buckets),
    d1_databases: open(config.d1_databases),
  }
}
