// The operation that the address names (`#operationId`): it is opened and comes into sight.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Operation } from './api-document.ts'

export function useNamedOperation(operations: readonly Operation[]): Operation | null {
  const [hash, setHash] = useState(location.hash)
  useLayoutEffect(() => {
    const update = (): void => setHash(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  const named = operations.find(({ operationId }) => `#${operationId}` === hash) ?? null
  useLayoutEffect(() => {
    // The place of a group or an operation exists only now: the browser looked for it before.
    if (hash === '') return
    const place = document.querySelector(`#${CSS.escape(hash.slice(1))}`)
    place?.scrollIntoView()
    place?.querySelector('summary')?.focus({ preventScroll: true })
  }, [hash])
  return named
}
