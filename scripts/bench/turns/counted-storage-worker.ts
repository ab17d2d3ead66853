// The counters that counted-worker.ts puts around the service: SQL statements, alarms, calls of bindings and of methods, and stored
// bytes; and a simulated clock.
import type { Counts, Namespace } from './counted-worker-api.ts'
import { StorageTally } from './storage-tally.ts'

const realNow = Date.now
let time: number | null = null

/** Returns the simulated time. It starts at the first call, because the runtime has no time before the first request. */
const now = (): number => (time ??= realNow())
Date.now = now

export const tally = new StorageTally()

export function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true })
}

/** An object's binding and its id. */
export type ObjectName = { namespace: Namespace; id: string }

const known = new Map<string, ObjectName>()
const alarms = new Map<string, number>()

export const knownObjects = (): ObjectName[] => [...known.values()]

type Cursor = { readonly rowsRead: number; readonly rowsWritten: number }

/** `size` returns the database's bytes, after it has added up the rows of the cursors that are open. */
export type CountedDatabase = { size: () => number }

/** The most open cursors. A statement is always read before this many others are executed. */
const MOST_CURSORS = 200

/** Counts the object's statements from now on. Call it before the object's own class gets its storage. */
export function countStorage({ storage, id }: DurableObjectState, namespace: Namespace): CountedDatabase {
  const key = `${namespace} ${id.toString()}`
  known.set(key, { namespace, id: id.toString() })
  // A cursor knows its rows only after it was read, and only its own object can read the count.
  let open: { counts: Counts; cursor: Cursor }[] = []
  const settle = (): void => {
    for (const { counts, cursor } of open) {
      counts.rowsRead += cursor.rowsRead
      counts.rowsWritten += cursor.rowsWritten
    }
    open = []
  }
  const execute = storage.sql.exec.bind(storage.sql)
  replace(storage.sql, 'exec', (query: string, ...bindings: unknown[]) => {
    const counts = tally.addStatement(namespace)
    const cursor = execute(query, ...bindings)
    open.push({ counts, cursor })
    if (open.length > MOST_CURSORS) settle()
    return cursor
  })
  replace(storage, 'setAlarm', async (at: number | Date) => {
    tally.addAlarm(namespace)
    alarms.set(key, Number(at))
  })
  replace(storage, 'getAlarm', async () => alarms.get(key) ?? null)
  replace(storage, 'deleteAlarm', async () => void alarms.delete(key))
  return {
    size() {
      settle()
      return storage.sql.databaseSize
    },
  }
}

/** Moves time forward without waking an object. */
export function stepTime(milliseconds: number): void {
  time = now() + milliseconds
}

/** Moves time forward, and wakes every object whose alarm is due, one after the other. */
export async function passTime(milliseconds: number, wake: (object: ObjectName) => Promise<void>): Promise<void> {
  const until = now() + milliseconds
  for (;;) {
    const [next] = [...alarms].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)
    if (next === undefined) break
    const [key, at] = next
    // An alarm that is due now runs a moment later. So time always passes, even if an object sets it again and again.
    time = Math.max(now() + 1, at)
    alarms.delete(key)
    const object = known.get(key)
    if (object !== undefined) await wake(object)
  }
  time = Math.max(now(), until)
}

/** Bytes of each file by its name. */
const files = new Map<string, number>()

/** Returns the bytes in the bucket, by `FILES` and the first part of the file names. */
export function fileBytes(): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, bytes] of files) {
    const part = `FILES ${name.split('/')[0] ?? name}`
    sums[part] = (sums[part] ?? 0) + bytes
  }
  return sums
}

function noteFile(method: string, [names, value]: readonly unknown[]): void {
  if (method === 'put') files.set(String(names), sizeOf(value))
  if (method === 'delete') for (const name of [names].flat()) files.delete(String(name))
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0
}

function countBinding<T extends object>(name: string, binding: T): T {
  return new Proxy(binding, {
    get(target, method: string) {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== 'function') return value
      return (...values: unknown[]): unknown => {
        tally.addBinding(`${name}.${method}`)
        if (name === 'FILES') noteFile(method, values)
        return Reflect.apply(value, target, values)
      }
    },
  })
}

let counted: Cloudflare.Env | undefined

/** Returns bindings that count their calls, for those that the platform bills by the call. */
export const countedEnv = (env: Cloudflare.Env): Cloudflare.Env =>
  (counted ??= {
    ...env,
    FILES: countBinding('FILES', env.FILES),
    DATASETS: countBinding('DATASETS', env.DATASETS),
    DB: countBinding('DB', env.DB),
  })

/** Counts the methods of a service's class under `prefix.method`, and puts the counting methods on `own`. */
export function countMethods(own: object, servicePrototype: object, prefix: string): void {
  for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(servicePrototype))) {
    const call: unknown = value
    if (method === 'constructor' || typeof call !== 'function') continue
    replace(own, method, function (this: object, ...values: unknown[]): unknown {
      return tally.around(`${prefix}.${method}`, (): unknown => Reflect.apply(call, this, values))
    })
  }
}

const countedFeatures = new Set<string>()

/** Counts the methods of an object's features, which callers reach through its getters. */
export function countFeatures(object: object, servicePrototype: object, namespace: Namespace): void {
  for (const [feature, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(servicePrototype))) {
    const target: unknown = 'get' in descriptor ? Reflect.get(servicePrototype, feature, object) : null
    if (typeof target !== 'object' || target === null || countedFeatures.has(feature)) continue
    countedFeatures.add(feature)
    const methods = Reflect.getPrototypeOf(target) ?? target
    countMethods(methods, methods, `${namespace}.${feature}`)
  }
}
