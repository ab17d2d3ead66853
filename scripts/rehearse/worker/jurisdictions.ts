// Jurisdictions for a rehearsal on this machine, whose runtime has none. As on the platform, an object of the European Union is
// another object than the one of the same name outside. It proves names and paths, and not where bytes are.
const MARK = 'eu:'

const rehearsed = new WeakMap<object, Cloudflare.Env>()

/** Returns the bindings with namespaces that have jurisdictions: the same ones for the same bindings. */
export function withJurisdictions(env: Cloudflare.Env): Cloudflare.Env {
  const known = rehearsed.get(env)
  if (known !== undefined) return known
  const all = {
    ...env,
    ORGANISATIONS: named(env.ORGANISATIONS, outside),
    PUBLIC_LOG: named(env.PUBLIC_LOG, outside),
    PUBLIC_LOG_INDEX: named(env.PUBLIC_LOG_INDEX, outside),
  }
  rehearsed.set(env, all)
  return all
}

type Name = (name: string) => string

const outside: Name = (name) => name

/** The namespace, whose objects are found by another name. */
function named<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  nameOf: Name,
): DurableObjectNamespace<T> {
  return new Proxy(namespace, {
    get(target, member) {
      if (member === 'jurisdiction') return () => named(namespace, (name) => MARK + name)
      if (member === 'idFromName') return (name: string) => target.idFromName(nameOf(name))
      if (member === 'getByName')
        return (name: string, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
          target.getByName(nameOf(name), options)
      const value: unknown = Reflect.get(target, member)
      return typeof value === 'function' ? (...args: unknown[]): unknown => Reflect.apply(value, target, args) : value
    },
  })
}
