// Makes workerd's configuration (Cap'n Proto text) for one Worker on a free local port, with its Durable Objects on disk. If the
// Worker has bindings for KV, R2 or D1, they lead to a second Worker, the storage Worker.
import { relative } from 'node:path'
import { COMPATIBILITY } from './build-bundle.ts'

export type Binding =
  | { kind: 'text'; name: string; value: string }
  | { kind: 'json'; name: string; value: unknown }
  | { kind: 'kv' | 'r2' | 'd1'; name: string }
  /** The files of a folder, by their paths. */
  | { kind: 'files'; name: string; folder: string }
  | { kind: 'durable_object'; name: string; className: string }

export type WorkerToRun = { bundle: string; bindings: readonly Binding[] }
export type StorageToRun = { bundle: string; values: Readonly<Record<string, string>>; schema: string }

const DISK = 'disk'
const STORAGE = 'storage'

export type ConfigFolders = {
  /** The folder that the configuration is written to. */
  config: string
  /** The existing folder for the databases of Durable Objects. */
  objects: string
}

/** Returns the configuration. @param storage null for a Worker without KV, R2 and D1 */
export function workerdConfig(worker: WorkerToRun, storage: StorageToRun | null, folders: ConfigFolders): string {
  // The path of an embedded file is relative to the configuration's folder. An absolute path would mean something else.
  const embed = (path: string): string => `embed ${quote(relative(folders.config, path))}`
  const services = [
    service('main', worker, embed),
    `(name = ${quote(DISK)}, disk = (path = ${quote(folders.objects)}, writable = true))`,
    ...(storage === null ? [] : [service(STORAGE, storageWorker(storage), embed)]),
    ...worker.bindings.flatMap((binding) =>
      binding.kind === 'files' ? [`(name = ${quote(binding.name)}, disk = (path = ${quote(binding.folder)}))`] : [],
    ),
    // The Worker may fetch from this machine only: the model emulator runs here.
    '(name = "internet", network = (allow = ["private"]))',
  ]
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${services.join(',\n    ')}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`
}

const storageWorker = ({ bundle, values, schema }: StorageToRun): WorkerToRun => ({
  bundle,
  bindings: [
    { kind: 'json', name: 'VALUES', value: values },
    { kind: 'text', name: 'SCHEMA', value: schema },
    { kind: 'durable_object', name: 'DATABASE', className: 'Database' },
    { kind: 'durable_object', name: 'R2_FILES', className: 'Files' },
  ],
})

function service(name: string, { bundle, bindings }: WorkerToRun, embed: (path: string) => string): string {
  const classes = bindings.flatMap((binding) => (binding.kind === 'durable_object' ? [binding.className] : []))
  const namespaces = classes.map(
    (className) => `(className = ${quote(className)}, uniqueKey = ${quote(`${name}-${className}`)}, enableSql = true)`,
  )
  return `(name = ${quote(name)}, worker = (
      modules = [(name = "worker.js", esModule = ${embed(bundle)})],
      compatibilityDate = ${quote(COMPATIBILITY.date)},
      compatibilityFlags = [${COMPATIBILITY.flags.map(quote).join(', ')}],
      durableObjectNamespaces = [${namespaces.join(', ')}],
      durableObjectStorage = (localDisk = ${quote(DISK)}),
      bindings = [${bindings.map(bindingText).join(', ')}]
    ))`
}

function bindingText(binding: Binding): string {
  const name = `name = ${quote(binding.name)}`
  switch (binding.kind) {
    case 'text':
      return `(${name}, text = ${quote(binding.value)})`
    case 'json':
      return `(${name}, json = ${quote(JSON.stringify(binding.value))})`
    case 'kv':
      return `(${name}, kvNamespace = ${storageEntrypoint('Kv')})`
    case 'r2':
      return `(${name}, r2Bucket = ${storageEntrypoint('R2')})`
    case 'd1':
      return `(${name}, wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = ${storageEntrypoint('D1')})]))`
    case 'files':
      return `(${name}, service = ${quote(binding.name)})`
    case 'durable_object':
      return `(${name}, durableObjectNamespace = ${quote(binding.className)})`
  }
}

const storageEntrypoint = (entrypoint: string): string =>
  `(name = ${quote(STORAGE)}, entrypoint = ${quote(entrypoint)})`

/** Returns a text literal of Cap'n Proto. JSON's escapes are valid there, except `\u`, which only control characters need. */
const quote = (text: string): string => JSON.stringify(text)
