// Puts the counting around the storage of objects and around bindings, and keeps the time in which they live: it stands
// still but for what it is told, and alarms go off when it passes.
import type { Counts, Namespace } from './counts.ts'
import { Tally } from './tally.ts'

const realNow = Date.now
let time: number | null = null

/** Before the first request the runtime tells no time. */
const now = (): number => (time ??= realNow())
Date.now = now

export const tally = new Tally(realNow)

export function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true })
}

/** An object: the binding it is reached by, and its id. */
export type ObjectName = { namespace: Namespace; id: string }

const known = new Map<string, ObjectName>()
const alarms = new Map<string, number>()

/** Every object there is. */
export const knownObjects = (): ObjectName[] => [...known.values()]

type Cursor = { readonly rowsRead: number; readonly rowsWritten: number }

/** A cursor knows its rows once it is read, and tells them to its own object only: they are added up later. */
export type OpenRows = { settle: () => void }

/** No statement is read for longer than it takes to execute so many others. */
const MOST_CURSORS = 200

/** To be called before the object's own class has its storage. */
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

/** Time passes where nobody is to be woken. */
export function stepTime(milliseconds: number): void {
  time = now() + milliseconds
}

/** Lets so much time pass, and wakes every object whose alarm is in it, one after the other. */
export async function passTime(milliseconds: number, wake: (object: ObjectName) => Promise<void>): Promise<void> {
  const until = now() + milliseconds
  for (;;) {
    const [next] = [...alarms].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)
    if (next === undefined) break
    const [key, at] = next
    // One that is due at once goes off a moment later: time passes whatever an object asks for.
    time = Math.max(now() + 1, at)
    alarms.delete(key)
    const object = known.get(key)
    if (object !== undefined) await wake(object)
  }
  time = Math.max(now(), until)
}

/** Bytes by name. */
const files = new Map<string, number>()

/** Bytes in the bucket by the first part of the files' names. */
export function fileBytes(): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, bytes] of files) {
    const part = name.split('/')[0] ?? name
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

/** The same bindings, with the calls of those that are billed by the call counted. */
export const countedEnv = (env: Cloudflare.Env): Cloudflare.Env =>
  (counted ??= {
    ...env,
    FILES: countBinding('FILES', env.FILES),
    DATASETS: countBinding('DATASETS', env.DATASETS),
    DB: countBinding('DB', env.DB),
  })

/** Each method of a service's class. They stand in the prototype of `own`, as the service's own do, and answer at once. */
export function countMethods(own: object, ofService: object, namespace: Namespace): void {
  for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(ofService))) {
    const call: unknown = value
    if (method === 'constructor' || typeof call !== 'function') continue
    replace(own, method, function (this: object, ...values: unknown[]): unknown {
      return tally.around(`${namespace}.${method}`, (): unknown => Reflect.apply(call, this, values))
    })
  }
}
