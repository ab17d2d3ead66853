// Keys page: waits for the first call of a new key, without haste, and not while nobody looks.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { callApi } from '../session.ts'
import type { KeyWithMade } from './key-labels.tsx'
import { latestCalls } from './load-keys.ts'

const PACE_MS = 3_000

/** Returns the key's first call once it has one; null until then. @param isAwaited false for a key that calls no models */
export function useFirstCall(id: string, isAwaited: boolean): Call | null {
  const [call, setCall] = useState<Call | null>(null)
  const isOver = call !== null || !isAwaited
  useLayoutEffect(() => {
    if (isOver) return undefined
    const leaving = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async (): Promise<void> => {
      const found = document.hidden ? null : await firstCallOf(id, leaving.signal).catch(() => null)
      if (leaving.signal.aborted) return
      if (found === null) wait()
      else setCall(found)
    }
    const wait = (): void => {
      timer = setTimeout(() => void look(), PACE_MS)
    }
    wait()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [id, isOver])
  return call
}

/** Asks for calls only once the key was used: a list of calls is more work for the service than a key. */
async function firstCallOf(id: string, signal: AbortSignal): Promise<Call | null> {
  const key = await callApi<KeyWithMade>('GET', `/api/keys/${id}`, { signal })
  if (key.outcome === 'refused' || key.body.last_used_at === null) return null
  const calls = await latestCalls(id, signal)
  return calls.outcome === 'answered' ? (calls.body.at(-1) ?? null) : null
}
