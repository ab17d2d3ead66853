// A person states something, or takes a statement back, in one turn with its entry. The entry has the hash of the text.
import { sha256Hex } from '../../platform/sha256.ts'
import { appendAct, type Act } from '../acts.ts'
import type { Journal } from '../journal/journal.ts'
import type { Statement, StatementsStore } from './statements.store.ts'

/** Each is read whole with every score. */
export const MOST_STATEMENTS = 500

export type StatementMade =
  | { outcome: 'made'; statement: Statement; position: number }
  | { outcome: 'too_many'; most: number }
export type StatementRemoved = { outcome: 'removed'; position: number } | { outcome: 'not_found' }

type Stores = { journal: Journal; statements: StatementsStore }

export function makeStatement({ journal, statements }: Stores, statement: Statement, act: Act): StatementMade {
  const { subject, text, statedAt: now } = statement
  const isNew = statements.find(subject) === null
  if (isNew && statements.count() >= MOST_STATEMENTS) return { outcome: 'too_many', most: MOST_STATEMENTS }
  statements.write(statement)
  const position = appendAct(journal, { ...act, content: { subject, sha256: sha256Hex(text) } }, now)
  return { outcome: 'made', statement, position }
}

export function removeStatement(
  { journal, statements }: Stores,
  subject: string,
  act: Act,
  now: number,
): StatementRemoved {
  if (statements.find(subject) === null) return { outcome: 'not_found' }
  statements.delete(subject)
  return { outcome: 'removed', position: appendAct(journal, { ...act, content: { subject } }, now) }
}
