// Runs other work between two steps of a request: once, at exactly that point.
import { vi } from 'vitest'

type Method = (...given: unknown[]) => Promise<unknown>

/** @param of an object, or a class's prototype for whichever object is asked next */
export function justBefore(of: object, name: string, work: () => Promise<unknown>): void {
  interleave(of, name, async (call) => {
    await work()
    return call()
  })
}

/** As `justBefore`, once the method has done what it does. */
export function justAfter(of: object, name: string, work: () => Promise<unknown>): void {
  interleave(of, name, async (call) => {
    const answer = await call()
    await work()
    return answer
  })
}

function interleave(of: object, name: string, around: (call: () => Promise<unknown>) => Promise<unknown>): void {
  const methods = of as Record<string, Method>
  const method = methods[name]
  if (method === undefined) throw new Error(`there is no method ${name}`)
  vi.spyOn(methods, name).mockImplementationOnce(function (this: unknown, ...given) {
    return around(() => method.apply(this, given))
  })
}
