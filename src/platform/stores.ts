// The two kinds of store, by the database whose tables they read and write.
import { exec, prepare, type Sql } from './sql.ts'

type SqlRow = Record<string, SqlStorageValue>

export class ObjectStore {
  protected readonly sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.sql = sql
  }

  protected run<Row extends SqlRow>(statement: Sql): SqlStorageCursor<Row> {
    return exec<Row>(this.sql, statement)
  }

  /** Returns all rows of a query. */
  protected rows<Row extends SqlRow>(query: Sql): Row[] {
    return this.run<Row>(query).toArray()
  }

  /** Returns the one row of a query. Throws if there are none or several. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers name the row
  protected row<Row extends SqlRow>(query: Sql): Row {
    return this.run<Row>(query).one()
  }
}

export class D1Store {
  protected readonly db: D1Database

  constructor(db: D1Database) {
    this.db = db
  }

  protected prepare(statement: Sql): D1PreparedStatement {
    return prepare(this.db, statement)
  }

  /** Finds a row on the primary database, because a replica may lag behind. */
  protected async findCurrent<Row>(query: Sql): Promise<Row | null> {
    return prepare(this.db.withSession('first-primary'), query).first<Row>()
  }

  /** Lists the rows of a query on the primary database, because a replica may lag behind. */
  protected async listCurrent<Row>(query: Sql): Promise<Row[]> {
    return (await prepare(this.db.withSession('first-primary'), query).all<Row>()).results
  }
}
