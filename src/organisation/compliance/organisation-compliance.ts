// What an organisation's object does for those who answer for it: what it tells of itself, what people state, which reports were made.
import type { Act } from '../acts.ts'
import type { Journal } from '../journal.ts'
import type { TakeTurn } from '../stores.ts'
import { makeStatement, removeStatement, type StatementMade, type StatementRemoved } from './statements.ts'
import { StatementsStore, type Statement } from './statements.store.ts'

type Parts = {
  sql: SqlStorage
  journal: Journal
  /** Of whoever oversees the organisation. */
  takeTurn: TakeTurn
}

export class OrganisationCompliance {
  readonly #parts: Parts
  readonly #statements: StatementsStore

  constructor(parts: Parts) {
    this.#parts = parts
    this.#statements = new StatementsStore(parts.sql)
  }

  listStatements(): Statement[] {
    return this.#parts.takeTurn(() => this.#statements.list())
  }

  makeStatement(statement: Statement, act: Act): StatementMade {
    return this.#parts.takeTurn(() => makeStatement(this.#stores, statement, act))
  }

  removeStatement(subject: string, act: Act, now: number): StatementRemoved {
    return this.#parts.takeTurn(() => removeStatement(this.#stores, subject, act, now))
  }

  get #stores() {
    return { journal: this.#parts.journal, statements: this.#statements }
  }
}
