// Opens Durable Objects and migrates their databases. In production an object's data stays in its jurisdiction. The local
// runtime does not implement jurisdictions, so there the plain namespace is used.
import type { Region } from './config.ts'
import { NEWER_OBJECT } from './log.ts'

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

/** Throws where the runtime does not implement jurisdictions. An id is computed, and no object made. */
export const assertJurisdictions = (namespace: DurableObjectNamespace): void =>
  void namespace.jurisdiction('eu').idFromName('none')

/** SQL, or a function for a step that reads rows. All new steps succeed together or not at all. */
export type MigrationStep = string | ((sql: SqlStorage) => void)

/** A newer release has run steps on the object that this one does not know. Its message has no data. */
export class NewerObjectError extends Error {
  constructor(steps: number, known: number) {
    super(`${NEWER_OBJECT}: it has taken ${steps} steps, and this release knows ${known}.`)
    this.name = 'NewerObjectError'
  }
}

/** Runs each new step, in order. A released step never changes: a change is a further step. Throws NewerObjectError. */
export function migrateObject(storage: DurableObjectStorage, steps: readonly MigrationStep[]): void {
  storage.transactionSync(() => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT')
    const { done } = storage.sql.exec<{ done: number }>('SELECT COUNT(*) AS done FROM schema_steps').one()
    if (done > steps.length) throw new NewerObjectError(done, steps.length)
    for (const [step, run] of steps.entries()) {
      if (step < done) continue
      if (typeof run === 'string') storage.sql.exec(run)
      else run(storage.sql)
      storage.sql.exec('INSERT INTO schema_steps (step) VALUES (?)', step)
    }
  })
}

/**
 * Migrates an object and opens its parts. Returns what gives them, or throws NewerObjectError at each call. The constructor of an
 * object must not throw: the platform gives up the alarm of such an object, which the newer release needs.
 */
export function openMigrated<T>(
  storage: DurableObjectStorage,
  steps: readonly MigrationStep[],
  open: () => T,
): () => T {
  try {
    migrateObject(storage, steps)
  } catch (thrown) {
    if (!(thrown instanceof NewerObjectError)) throw thrown
    return () => {
      throw thrown
    }
  }
  const opened = open()
  return () => opened
}
