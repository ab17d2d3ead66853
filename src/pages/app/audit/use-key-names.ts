// What the keys of the organisation are called, by their ids: those that there ever were.
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { allPages } from '../../api/all-pages.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { callIn } from '../call-in.ts'

export type KeyNames = ReadonlyMap<string, string>

type NamedKey = { id: string; name: string }

/** Empty until they are there, and where they cannot be had: an id is shown then. */
export function useKeyNames(session: Session): KeyNames {
  const [loaded] = useAnswer(
    (signal) =>
      allPages((cursor) =>
        callIn<List<NamedKey>>(session, 'GET', '/api/keys', { query: { status: 'all', limit: 100, cursor }, signal }),
      ),
    [session],
  )
  return new Map(loaded.state === 'answered' ? loaded.body.data.map(({ id, name }) => [id, name]) : [])
}
