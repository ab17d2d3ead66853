// What people of the organisation state: one statement about a subject, put in the place of the one before.
import type { z } from 'zod'
import type { StatementSchema } from '../../../management/compliance/statements.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { callIn } from '../call-in.ts'

export type Statement = z.infer<typeof StatementSchema>

export type Statements = {
  loaded: Loaded<List<Statement>>
  about: (subject: string) => Statement | null
  again: () => void
}

const PATH = '/api/compliance/statements'
const pathOf = (subject: string): string => `${PATH}/${encodeURIComponent(subject)}`

export function useStatements(session: Session): Statements {
  const [loaded, again] = useAnswer((signal) => callIn<List<Statement>>(session, 'GET', PATH, { signal }), [session])
  const all = loaded.state === 'answered' ? loaded.body.data : []
  return { loaded, again, about: (subject) => all.find((one) => one.subject === subject) ?? null }
}

/** Null where it is stated. */
export async function putStatement(
  session: Session,
  { subject, text, date }: Pick<Statement, 'subject' | 'text' | 'date'>,
): Promise<Problem | null> {
  const body = { text, ...(date !== null && { date }) }
  const answer = await callIn(session, 'PUT', pathOf(subject), { body })
  return answer.outcome === 'answered' ? null : answer.problem
}

/** Null where it is taken back. */
export async function removeStatement(session: Session, subject: string): Promise<Problem | null> {
  const answer = await callIn(session, 'DELETE', pathOf(subject))
  return answer.outcome === 'answered' ? null : answer.problem
}
