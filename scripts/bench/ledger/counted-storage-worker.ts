// Counts what objects execute and what they ask of bindings, and keeps the time in which they live. Time stands still except
// for what it is told, and alarms go off when it passes.
import type { Counts, Namespace } from './counts.ts'
import { Tally } from './tally.ts'

const realNow = Date.now
let time: number | null = null

/** The runtime tells no time before the first request. */
const now = (): number => (time ??= realNow())
Date.now = now

export const tally = new Tally()

export function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true })
}

/** An object: the binding by which it is reached, and its id. */
export type ObjectName = { namespace: Namespace; id: string }

const known = new Map<string, ObjectName>()
const alarms = new Map<string, number>()

export const knownObjects = (): ObjectName[] => [...known.values()]

type Cursor = { readonly rowsRead: number; readonly rowsWritten: number }

/** A cursor knows its rows when it has been read, and tells them to its own object only, so they are added up later. */
export type OpenRows = { settle: () => void }

/** No statement is read for longer than it takes to execute so many others. */
const MOST_CURSORS = 200

/** Call it before the object's own class has its storage. */
export function countStorage({ storage, id }: DurableObjectState, namespace: Namespace): OpenRows {
  const key = `${namespace} ${id.toString()}`
  known.set(key, { namespace, id: id.toString() })
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
    if (counts !== null) open.push({ counts, cursor })
    if (open.length > MOST_CURSORS) settle()
    return cursor
  })
  replace(storage, 'setAlarm', async (at: number | Date) => {
    tally.addAlarm(namespace)
    alarms.set(key, Number(at))
  })
  replace(storage, 'getAlarm', async () => alarms.get(key) ?? null)
  replace(storage, 'deleteAlarm', async () => void alarms.delete(key))
  return { settle }
}

/** Lets time pass without waking anybody. */
export function stepTime(milliseconds: number): void {
  time = now() + milliseconds
}

/** Lets time pass, and wakes every object whose alarm is due in it, one after the other. */
export async function passTime(milliseconds: number, wake: (object: ObjectName) => Promise<void>): Promise<void> {
  const until = now() + milliseconds
  for (;;) {
    const [next] = [...alarms].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)
    if (next === undefined) break
    const [key, at] = next
    // An alarm that is due at once goes off a moment later, so that time passes whatever an object asks for.
    time = Math.max(now() + 1, at)
    alarms.delete(key)
    const object = known.get(key)
    if (object !== undefined) await wake(object)
  }
  time = Math.max(now(), until)
}

/** Bytes of files by name. */
const files = new Map<string, number>()

/** Bytes in the bucket by `FILES` and the first part of the files' names. */
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

/** The same bindings, with the calls of those counted that the platform bills by the call. */
export const countedEnv = (env: Cloudflare.Env): Cloudflare.Env =>
  (counted ??= {
    ...env,
    FILES: countBinding('FILES', env.FILES),
    DATASETS: countBinding('DATASETS', env.DATASETS),
    DB: countBinding('DB', env.DB),
  })

/** Counts each method of a service's class under `prefix.method`. They stand in the prototype of `own`, as the service's own do. */
export function countMethods(own: object, ofService: object, prefix: string): void {
  for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(ofService))) {
    const call: unknown = value
    if (method === 'constructor' || typeof call !== 'function') continue
    replace(own, method, function (this: object, ...values: unknown[]): unknown {
      return tally.around(`${prefix}.${method}`, (): unknown => Reflect.apply(call, this, values))
    })
  }
}

const countedFeatures = new Set<string>()

/** Counts the methods of an object's features, which callers reach through its getters. */
export function countFeatures(object: object, ofService: object, namespace: Namespace): void {
  for (const [feature, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(ofService))) {
    const target: unknown = 'get' in descriptor ? Reflect.get(ofService, feature, object) : null
    if (typeof target !== 'object' || target === null || countedFeatures.has(feature)) continue
    countedFeatures.add(feature)
    const methods = Reflect.getPrototypeOf(target) ?? target
    countMethods(methods, methods, `${namespace}.${feature}`)
  }
}
