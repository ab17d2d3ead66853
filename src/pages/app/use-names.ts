// Names of the organisation's people, for those who may see them: everywhere else there are ids alone.
import { useCallback } from 'preact/hooks'
import type { z } from 'zod'
import type { MemberSchema } from '../../accounts/members/members.schema.ts'
import type { List } from '../../platform/list.schema.ts'
import type { Session } from '../api/session.ts'
import { useAnswer } from '../api/use-answer.ts'
import { callIn } from './call-in.ts'
import { mayIn } from './may-in.ts'

type Member = z.infer<typeof MemberSchema>

type NameOf = (id: string) => string

/** Of `usr_…`, `key_…` or `operator`: a name where there is one, else the id. */
export function useNames(session: Session): NameOf {
  return useLoadedNames(session) ?? idItself
}

const idItself: NameOf = (id) => id

/** Null while the names are on their way: what waits for them does not jump. */
export function useLoadedNames(session: Session): NameOf | null {
  const { user } = session
  const isShown = mayIn(session, 'members:manage')
  const [members] = useAnswer<List<Member> | null>(
    async () =>
      isShown
        ? callIn<List<Member>>(session, 'GET', '/api/members', { query: { limit: 100 } })
        : { outcome: 'answered', body: null, headers: new Headers() },
    [],
  )
  const known = members.state === 'answered' ? members.body : null
  const nameOf = useCallback(
    (id: string) => {
      if (id === user.id) return 'you'
      if (id === 'operator') return 'the operator'
      return known?.data.find((member) => member.id === id)?.name ?? id
    },
    [known],
  )
  return members.state === 'loading' ? null : nameOf
}
