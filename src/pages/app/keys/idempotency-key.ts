// Keys page: the idempotency keys of requests that make a key.
import { useRef } from 'preact/hooks'

/** Returns a function that gives each body one idempotency key. A request repeated after a lost answer makes no second API key. */
export function useIdempotencyKey(): (body: string) => Record<string, string> {
  const claims = useRef(new Map<string, string>())
  return (body) => {
    const claim = claims.current.get(body) ?? crypto.randomUUID()
    claims.current.set(body, claim)
    return { 'idempotency-key': claim }
  }
}
