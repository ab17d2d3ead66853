// Loads the names of an organisation's keys and people, for roles that may see them. Other roles see ids.
import { useCallback, useMemo } from 'preact/hooks'
import type { Infer } from '../../platform/once.ts'
import { may } from '../../accounts/access/roles.policy.ts'
import type { MemberSchema } from '../../accounts/members/members.schema.ts'
import type { Key } from '../../keys/key.schema.ts'
import type { List } from '../../platform/pagination.schema.ts'
import { answered } from '../api/send-request.ts'
import { useAnswer } from '../api/use-answer.ts'
import { callApi, hasPermission, session, loadWholeList, type Membership } from './session.ts'
import { DAY_MS } from '../text/day.ts'
import { Hash } from '../parts/layout.view.tsx'

export type Keys = ReadonlyMap<string, Key>
export type KeyNames = ReadonlyMap<string, string>

const NONE: readonly Key[] = []

/** `isWhole` is false if the list was refused or has too many pages. `again` is null unless it was refused. */
type LoadedKeys = { byId: Keys; isWhole: boolean; again: (() => void) | null }

/** Returns all keys ever made, or null while they load. */
export function useLoadedKeys(of: Membership | null = session().organisation): LoadedKeys | null {
  const isShown = of !== null && may(of.role, 'keys:read')
  const [loaded, again] = useAnswer<List<Key> | null>(
    async (signal) =>
      isShown ? loadWholeList<Key>('/api/keys', { status: 'all', limit: 100 }, signal, of) : answered(null),
    [],
  )
  const keys = loaded.state === 'answered' ? (loaded.body?.data ?? NONE) : NONE
  const byId = useMemo(() => new Map(keys.map((key) => [key.id, key])), [keys])
  if (loaded.state === 'loading') return null
  if (loaded.state === 'refused') return { byId, isWhole: false, again }
  return { byId, isWhole: (loaded.body?.next_cursor ?? null) === null, again: null }
}

/** Returns the keys by id, or null while they load. Parts that show names wait for them, so that nothing jumps. */
export const useKeys = (): Keys | null => useLoadedKeys()?.byId ?? null

/** Returns names by id; null while they load, empty if they are not available. */
export function useKeyNames(): KeyNames | null {
  const keys = useKeys()
  return useMemo(() => keys && new Map([...keys].map(([id, { name }]) => [id, name])), [keys])
}

/** True for a key that the playground made for an hour: nobody keeps it. */
export const isTemporaryKey = ({ name, created_at: made, expires_at: end }: Key): boolean =>
  name === 'Playground' && end !== null && Date.parse(end) - Date.parse(made) <= DAY_MS

/** The one row of all temporary keys in figures by key. */
export const TEMPORARY_KEYS = 'Playground keys'

/** Returns the row of a key in figures by key: its id, or the row of all temporary keys. */
export const rowOfKey = (id: string, key: Key | undefined): string =>
  key !== undefined && isTemporaryKey(key) ? TEMPORARY_KEYS : id

/** Shows a key's name, or its id if the name is not available. */
export const KeyName = ({ id, name }: { id: string; name: string | null | undefined }) => (
  <>{name ?? <Hash>{id}</Hash>}</>
)

/** Returns the name for `usr_…`, `key_…` or `operator`. Returns the id if there is no name. */
export type NameOf = (id: string) => string

/** Returns a person's name. Roles that may not see the members get no bare ids. */
export function personOf(nameOf: NameOf, id: string): string {
  const name = nameOf(id)
  if (name !== id) return name
  return id.startsWith('key_') ? 'a key' : 'a member'
}

export const useNamesOrIds = (): NameOf => useLoadedNames() ?? idItself

const idItself: NameOf = (id) => id

export type Member = Infer<typeof MemberSchema>

/** Returns the name of one of these members, or the id. */
export function nameIn(members: readonly Member[], id: string): string {
  if (id === session().user.id) return 'you'
  if (id === 'operator') return 'the operator'
  return members.find((member) => member.id === id)?.name ?? id
}

/** Names of people, and the members, for roles that may see them; none for others. */
export type People = { nameOf: NameOf; members: readonly Member[] }

const NOBODY: readonly Member[] = []

/** Returns the people, or null while they load. Parts that show names wait for it, so nothing jumps. */
export function useLoadedPeople(): People | null {
  const isShown = hasPermission('members:manage')
  const [loaded] = useAnswer<List<Member> | null>(
    async () => (isShown ? callApi('GET', '/api/members', { query: { limit: 100 } }) : answered(null)),
    [],
  )
  const members = loaded.state === 'answered' ? (loaded.body?.data ?? NOBODY) : NOBODY
  const nameOf = useCallback((id: string) => nameIn(members, id), [members])
  return loaded.state === 'loading' ? null : { nameOf, members }
}

/** Returns the function that names an id, or null while the names load. */
export const useLoadedNames = (): NameOf | null => useLoadedPeople()?.nameOf ?? null
