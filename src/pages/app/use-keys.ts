// The organisation's keys by their ids, for those who may see them: elsewhere there are ids alone.
import { useMemo } from 'preact/hooks'
import type { Key } from '../../keys/key.schema.ts'
import type { List } from '../../platform/list.schema.ts'
import type { Session } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'
import { callIn } from './call-in.ts'
import { mayIn } from './may-in.ts'

const NONE: readonly Key[] = []

/** The latest hundred. Null while they are on their way: what shows their names waits, so that nothing jumps. */
export function useKeys(session: Session): ReadonlyMap<string, Key> | null {
  const isShown = mayIn(session, 'keys:read')
  const [loaded] = useAnswer<List<Key> | null>(
    async (signal) =>
      isShown
        ? callIn<List<Key>>(session, 'GET', '/api/keys', { query: { status: 'all', limit: 100 }, signal })
        : { outcome: 'answered', body: null, headers: new Headers() },
    [],
  )
  const keys = loaded.state === 'answered' ? (loaded.body?.data ?? NONE) : NONE
  const byId = useMemo(() => new Map(keys.map((key) => [key.id, key])), [keys])
  return loaded.state === 'loading' ? null : byId
}
