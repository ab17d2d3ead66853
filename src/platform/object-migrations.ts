// Brings a Durable Object's database up to date: each step of a list runs once, in order, in the constructor.

/** Statements, or a function where what is there must be worked out. Together with the steps before it, or not at all. */
export type MigrationStep = string | ((sql: SqlStorage) => void)

/** A released step never changes: a change is a further step. */
export function migrateObject(storage: DurableObjectStorage, steps: readonly MigrationStep[]): void {
  storage.transactionSync(() => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT')
    const { done } = storage.sql.exec<{ done: number }>('SELECT COUNT(*) AS done FROM schema_steps').one()
    for (const [step, run] of steps.entries()) {
      if (step < done) continue
      if (typeof run === 'string') storage.sql.exec(run)
      else run(storage.sql)
      storage.sql.exec('INSERT INTO schema_steps (step) VALUES (?)', step)
    }
  })
}
