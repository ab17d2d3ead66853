// The two kinds of store, by the database whose tables they read and write.

/** A store in the database of a Durable Object. */
export class ObjectStore {
  protected readonly sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.sql = sql
  }
}

/** A store in D1. */
export class D1Store {
  protected readonly db: D1Database

  constructor(db: D1Database) {
    this.db = db
  }
}
