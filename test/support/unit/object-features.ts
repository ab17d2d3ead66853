// The unit tests' runtime wraps each Durable Object, and its wrapper answers `stub.keys` with a function: a call of `stub.keys.list()`
// would find no `list` on it. These getters stand under the wrapper and pass such a call on to the object's own feature.
import { DurableObject, RpcTarget } from 'cloudflare:workers'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'

type Feature = Exclude<
  { [Name in keyof Organisation]-?: Organisation[Name] extends RpcTarget ? Name : never }[keyof Organisation],
  '__DURABLE_OBJECT_BRAND'
>

/** Each is named, or this does not compile. */
const FEATURES: Readonly<Record<Feature, true>> = {
  approvals: true,
  audit: true,
  bias: true,
  compliance: true,
  content: true,
  erasure: true,
  export: true,
  keys: true,
  log: true,
  policy: true,
  receipts: true,
  settings: true,
  usage: true,
  webhook: true,
}

type Call = (...given: unknown[]) => unknown
type Instance = Record<string, Record<string, Call | undefined> | undefined>

/** The wrapper's own method that makes its object. */
const ENSURE_INSTANCE = 'Symbol(kEnsureInstance)'

async function instanceOf(wrapper: object): Promise<Instance> {
  const prototype = Reflect.getPrototypeOf(wrapper)
  const symbol = prototype && Object.getOwnPropertySymbols(prototype).find((one) => String(one) === ENSURE_INSTANCE)
  const ensure: unknown = symbol && Reflect.get(wrapper, symbol)
  if (typeof ensure !== 'function') throw new TypeError('the test runtime wraps objects in another way')
  const made: unknown = await Reflect.apply(ensure, wrapper, [])
  return (made as { instance: Instance }).instance
}

/** Calls begin in the order in which they came, as the object's own do. */
const begun = new WeakMap<object, Promise<unknown>>()

function beginOn(wrapper: object): Promise<Instance> {
  const instance = (begun.get(wrapper) ?? Promise.resolve()).then(() => instanceOf(wrapper))
  begun.set(
    wrapper,
    instance.catch(() => undefined),
  )
  return instance
}

/** Has every method: those that the feature does not have fail when they are called. */
function doorTo(wrapper: object, feature: string): RpcTarget {
  const callOf =
    (name: string): Call =>
    async (...given) => {
      const target = (await beginOn(wrapper))[feature]
      const method = target?.[name]
      if (method === undefined) throw new TypeError(`The RPC receiver does not implement "${name}".`)
      return method.apply(target, given)
    }
  class Door extends RpcTarget {}
  const methods = new Proxy(Door.prototype, {
    get: (prototype, name, door): unknown =>
      typeof name === 'symbol' || name in prototype ? Reflect.get(prototype, name, door) : callOf(name),
  })
  const door = new Door()
  Reflect.setPrototypeOf(door, methods)
  return door
}

export function openFeatures(): void {
  for (const feature of Object.keys(FEATURES)) {
    Object.defineProperty(DurableObject.prototype, feature, {
      configurable: true,
      get(this: object) {
        return doorTo(this, feature)
      },
    })
  }
}
