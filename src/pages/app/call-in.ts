// What the pages of the dashboard ask the service, in the name of who has signed in.
import {
  call,
  callForFile,
  type Answer,
  type Asked,
  type Method,
  type OnBytes,
  type ReceivedFile,
} from '../api/call.ts'
import { signInFirst, type Session } from '../api/session.ts'
import { isAnythingLost } from '../parts/use-leaving.ts'
import { inWords } from '../text/in-words.ts'
import { signInAnew } from './fresh-sign-in.view.tsx'

const NO_MEMBER = {
  not_found: 'You are not a member of this organisation any more, or it is gone. Load the page again.',
}

type AskedIn = Omit<Asked, 'organisation' | 'key'>

/**
 * Asks about the organisation of a session. A session that has ended meanwhile leads to signing in; an act that asks for a fresh one,
 * or would leave something unsaved behind, is done once the person has signed in anew.
 */
export const callIn = <T>(session: Session, method: Method, path: string, asked: AskedIn = {}): Promise<Answer<T>> =>
  askIn(session, (organisation) => call<T>(method, path, { ...asked, ...organisation }))

/** The same for an answer that is a file. @param onBytes is told how many bytes have come so far, and given the latest */
export const fileIn = (
  session: Session,
  method: Method,
  path: string,
  asked: AskedIn = {},
  onBytes?: OnBytes,
): Promise<Answer<ReceivedFile>> =>
  askIn(session, (organisation) => callForFile(method, path, { ...asked, ...organisation }, onBytes))

async function askIn<T>(
  session: Session,
  ask: (organisation: Pick<Asked, 'organisation'>) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const { user, organisation } = session
  const answer = await ask(organisation === null ? {} : { organisation: organisation.id })
  if (answer.outcome === 'answered') return answer
  const { problem } = answer
  const { code } = problem
  if (problem.param === 'x-aqta-organisation') return { outcome: 'refused', problem: inWords(problem, NO_MEMBER) }
  if (code !== 'session_required' && code !== 'fresh_sign_in_required') return answer
  if (code === 'session_required' && !isAnythingLost()) return signInFirst()
  return (await signInAnew(user, code)) ? askIn(session, ask) : answer
}
