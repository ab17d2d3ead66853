// What the pages of the dashboard ask the service, in the name of who has signed in.
import { call, type Answer, type Asked } from '../api/call.ts'
import { signInFirst, type Session } from '../api/session.ts'
import { signInAnew } from './fresh-sign-in.view.tsx'

/**
 * Asks about the organisation of a session. A session that has ended meanwhile leads to signing in; an act that asks for a fresh one
 * is done once the person has signed in anew.
 */
export async function callIn<T>(
  session: Session,
  method: Parameters<typeof call>[0],
  path: string,
  asked: Omit<Asked, 'organisation' | 'key'> = {},
): Promise<Answer<T>> {
  const { user, organisation } = session
  const answer = await call<T>(method, path, {
    ...asked,
    ...(organisation !== null && { organisation: organisation.id }),
  })
  if (answer.outcome === 'answered') return answer
  if (answer.problem.code === 'session_required') return signInFirst()
  if (answer.problem.code !== 'fresh_sign_in_required') return answer
  return (await signInAnew(user)) ? callIn(session, method, path, asked) : answer
}
