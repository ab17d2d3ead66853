// The only function that opens a Durable Object. In production its data stays in its jurisdiction; the local runtime does
// not implement jurisdictions, so there the plain namespace is used.
import type { Region } from './config.ts'

/**
 * Names objects of one class. `isEuropean`: the object's data must stay in the European Union. `region`: a hint where to create
 * it. Only the first `get` of an object uses the hint; later ones need none.
 */
type OpenObject<T extends Rpc.DurableObjectBranded | undefined> = (object: {
  name: string
  isEuropean: boolean
  region?: Region | null
}) => DurableObjectStub<T>

/** @param jurisdictions whether the runtime implements them */
export function objectOpener<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  jurisdictions: boolean,
): OpenObject<T> {
  return ({ name, isEuropean, region = null }) => {
    const scoped = jurisdictions && isEuropean ? namespace.jurisdiction('eu') : namespace
    return scoped.get(scoped.idFromName(name), region === null ? {} : { locationHint: region })
  }
}
