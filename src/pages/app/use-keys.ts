// The organisation's keys by their ids, for those who may see them: elsewhere there are ids alone.
import { useMemo } from 'preact/hooks'
import type { Key } from '../../keys/key.schema.ts'
import type { List } from '../../platform/list.schema.ts'
import { allPages } from '../api/all-pages.ts'
import type { Session } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'
import { callIn } from './call-in.ts'
import { mayIn } from './may-in.ts'

export type KeyNames = ReadonlyMap<string, string>

const NONE: readonly Key[] = []

/** All that there ever were. Null while they are on their way: what shows their names waits, so that nothing jumps. */
export function useKeys(session: Session): ReadonlyMap<string, Key> | null {
  const isShown = mayIn(session, 'keys:read')
  const [loaded] = useAnswer<List<Key> | null>(
    async (signal) =>
      isShown
        ? allPages<Key, List<Key>>((cursor) =>
            callIn(session, 'GET', '/api/keys', { query: { status: 'all', limit: 100, cursor }, signal }),
          )
        : { outcome: 'answered', body: null, headers: new Headers() },
    [],
  )
  const keys = loaded.state === 'answered' ? (loaded.body?.data ?? NONE) : NONE
  const byId = useMemo(() => new Map(keys.map((key) => [key.id, key])), [keys])
  return loaded.state === 'loading' ? null : byId
}

/** What they are called; null until that is there, empty where it cannot be had. */
export function useKeyNames(session: Session): KeyNames | null {
  const keys = useKeys(session)
  return useMemo(() => keys && new Map([...keys].map(([id, { name }]) => [id, name])), [keys])
}
