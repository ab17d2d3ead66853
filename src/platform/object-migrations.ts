// Brings a Durable Object's database up to date, in its constructor. The first step of a list is the schema of the first release.

/** SQL, or a function for a step that reads rows. All new steps succeed together or not at all. */
export type MigrationStep = string | ((sql: SqlStorage) => void)

/** Runs each step once, in order. A released step never changes: a change is a further step. */
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
