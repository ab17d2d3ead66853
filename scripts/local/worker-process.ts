// The child process that runs the Worker in the local runtime. Its settings come over the channel to its parent, so that no
// secret is in a command line. It ends when that channel closes, or when its runtime is killed.
import { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { basename } from 'node:path'
import { unstable_DevEnv } from 'wrangler'
import * as z from 'zod'

const WorkerOptionsSchema = z.strictObject({
  port: z.int(),
  /** The folder of the local storage. */
  state: z.string(),
  /** The folder of the pages. It must not change while the Worker runs, which would lose pages that were missing for a moment. */
  pages: z.string(),
  /** The file of settings. wrangler binds those that wrangler.toml names. */
  devVars: z.string(),
  /** Settings that override those of that file and of wrangler.toml. */
  settings: z.record(z.string(), z.string()),
  /** The entry module, which includes the service's code. Undefined means the one that wrangler.toml names. */
  entrypoint: z.string().optional(),
  /** The environment of wrangler.toml. Undefined means the local one. */
  environment: z.string().optional(),
})

export type WorkerOptions = z.infer<typeof WorkerOptionsSchema>

const leaving = new AbortController()
process.once('disconnect', () => leaving.abort())

const CreatedSchema = z.object({ process: z.instanceof(ChildProcess) })

// wrangler replaces a killed runtime by one that does not answer. If wrangler itself ended a runtime, to load changed code,
// `killed` is true.
const children = new Set<ChildProcess>()
subscribe('child_process', (message) => {
  const { process: child } = CreatedSchema.parse(message)
  child.once('spawn', () => children.add(child))
  child.once('exit', () => {
    children.delete(child)
    const isRuntime = basename(child.spawnfile).startsWith('workerd')
    if (isRuntime && !child.killed && !leaving.signal.aborted) void endWith(1)
  })
})

/** Kills the children and waits for them: one that outlives this process can stay for seconds. */
async function endWith(code: number): Promise<never> {
  const ends = [...children].map(async (child) => {
    child.ref()
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  await Promise.all(ends)
  process.exit(code)
}

const startMessage: unknown = await once(process, 'message', { signal: leaving.signal })
const [{ port, state, pages, devVars, settings, entrypoint, environment: env }] = z
  .tuple([WorkerOptionsSchema], z.unknown())
  .parse(startMessage)
const environment = new unstable_DevEnv()
// wrangler would wait until the code builds. A running Worker continues with its old code meanwhile.
const endWithoutWorker = (): void => void endWith(1)
environment.once('buildFailed', endWithoutWorker)
environment.once('reloadComplete', () => environment.off('buildFailed', endWithoutWorker))
const worker = await environment.startWorker({
  config: 'wrangler.toml',
  ...(entrypoint !== undefined && { entrypoint }),
  ...(env !== undefined && { env }),
  assets: pages,
  build: { custom: { command: '' } },
  envFiles: [devVars],
  bindings: Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, { type: 'secret_text' as const, value }]),
  ),
  dev: { server: { hostname: '127.0.0.1', port }, persist: state, inspector: false, watch: true },
})
if (!leaving.signal.aborted) await once(leaving.signal, 'abort')
await worker.dispose()
await endWith(0)
