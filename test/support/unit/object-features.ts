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
  notices: true,
  outcomes: true,
  policy: true,
  receipts: true,
  settings: true,
  usage: true,
  webhook: true,
}

type Call = (...given: unknown[]) => unknown

/** A method that wrappers have, and objects have not. */
const WRAPPED = 'Symbol(kEnsureInstance)'

function isWrapper(object: object): boolean {
  const prototype = Reflect.getPrototypeOf(object)
  return prototype !== null && Object.getOwnPropertySymbols(prototype).some((symbol) => String(symbol) === WRAPPED)
}

/** Has every method: those that the feature does not have fail when they are called. */
function doorTo(wrapper: object, feature: string): RpcTarget {
  class Door extends RpcTarget {}
  const methods = new Proxy(Door.prototype, {
    get: (prototype, name, door): unknown =>
      typeof name === 'symbol' || name in prototype
        ? Reflect.get(prototype, name, door)
        : (...given: unknown[]) => (wrapper as { callFeature: Call }).callFeature(feature, name, given),
  })
  const door = new Door()
  Reflect.setPrototypeOf(door, methods)
  return door
}

async function callFeature(this: object, feature: string, name: string, given: unknown[]): Promise<unknown> {
  const target: unknown = Reflect.get(this, feature)
  const method: unknown = target instanceof RpcTarget ? Reflect.get(target, name) : undefined
  if (typeof method !== 'function') throw new TypeError(`The RPC receiver does not implement "${name}".`)
  return Reflect.apply(method, target, given)
}

export function openFeatures(): void {
  const define = (name: string, get: (this: object) => unknown): void =>
    void Object.defineProperty(DurableObject.prototype, name, { configurable: true, get })
  for (const feature of Object.keys(FEATURES)) {
    define(feature, function () {
      return doorTo(this, feature)
    })
  }
  // A wrapper asks its object for what it does not have, in the order in which calls came.
  define('callFeature', function () {
    return isWrapper(this) ? undefined : callFeature.bind(this)
  })
}
