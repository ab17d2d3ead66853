// Opens Durable Objects and migrates their databases. In production an object's data stays in its jurisdiction. The local
// runtime does not implement jurisdictions, so there the plain namespace is used.
import type { Region } from './config.ts'

/**
 * Opens an object by name. `isEuropean`: its data must stay in the European Union. `region`: a hint where to create it, which
 * only the first `get` of an object uses.
 */
type OpenObject<T extends Rpc.DurableObjectBranded | undefined> = (object: {
  name: string
  isEuropean: boolean
  region?: Region | null
}) => DurableObjectStub<T>

/** @param jurisdictions true if the runtime implements them */
export function objectOpener<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  jurisdictions: boolean,
): OpenObject<T> {
  return ({ name, isEuropean, region = null }) => {
    const scoped = jurisdictions && isEuropean ? namespace.jurisdiction('eu') : namespace
    return scoped.getByName(name, region === null ? {} : { locationHint: region })
  }
}

/** SQL, or a function for a step that reads rows. All new steps succeed together or not at all. */
export type MigrationStep = string | ((sql: SqlStorage) => void)

/** Runs each new step, in order. A released step never changes: a change is a further step. */
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
