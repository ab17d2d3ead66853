// Brings a Durable Object's database up to date: each step of a list runs once, in order, in the constructor.

/** A released step never changes: a change is a further step. */
export function migrateObject(storage: DurableObjectStorage, steps: readonly string[]): void {
  storage.transactionSync(() => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT')
    const { done } = storage.sql.exec<{ done: number }>('SELECT COUNT(*) AS done FROM schema_steps').one()
    for (let step = done; step < steps.length; step++) {
      storage.sql.exec(steps[step] ?? '')
      storage.sql.exec('INSERT INTO schema_steps (step) VALUES (?)', step)
    }
  })
}
