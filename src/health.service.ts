// Finds the parts without which the service cannot do its work: D1's tables, its storage, and the keys that sign.
import hashes from '../data/migrations.json' with { type: 'json' }
import type { HealthPart } from './health.schema.ts'
import { describeThrown, log } from './platform/log.ts'
import { MINUTE_MS, withTimeLimit, type Clock } from './platform/time.ts'

export type HealthService = { failingParts: () => Promise<readonly HealthPart[]> }

/** A part that can sign. `nameAt` returns null if none of its keys can sign at that time. */
type SigningPart = { nameAt: (now: number) => string | null } | null

type Deps = { db: D1Database; signer: SigningPart; logSigner: SigningPart; clock: Clock }

/** The longest wait for D1, so that a monitor gets an answer even while storage hangs. */
const LIMIT_MS = 1000

/** A failure is checked again sooner, because it may have been one slow answer. */
const RECHECK_MS = 5000

/** D1 is asked once a minute by each isolate, because anybody may ask for the health. */
export function createHealthService({ db, signer, logSigner, clock }: Deps): HealthService {
  let checkedAt = -Infinity
  let known: readonly HealthPart[] = []

  /** Returns what the last check found while another is under way. A promise must not be shared between requests. */
  async function failingTables(now: number): Promise<readonly HealthPart[]> {
    if (now - checkedAt < (known.length === 0 ? MINUTE_MS : RECHECK_MS)) return known
    checkedAt = now
    known = await withTimeLimit(checkTables(db, now), LIMIT_MS).catch((thrown: unknown) => {
      log({ level: 'error', event: 'unexpected_error', outcome: 'health_not_checked', ...describeThrown(thrown) })
      return ['storage'] as const
    })
    return known
  }

  return {
    async failingParts() {
      const now = clock()
      return [
        ...(await failingTables(now)),
        ...(cannotSign(signer, now) ? (['signing_key'] as const) : []),
        ...(cannotSign(logSigner, now) ? (['log_key'] as const) : []),
      ]
    },
  }
}

const cannotSign = (part: SigningPart, now: number): boolean => part === null || part.nameAt(now) === null

/** Returns the tables' fault, and writes a row. Rejects if D1 cannot be written. */
async function checkTables(db: D1Database, now: number): Promise<readonly HealthPart[]> {
  if ((await compareTables(db)).missing.length > 0) return ['tables']
  await db.prepare('INSERT OR REPLACE INTO health_checks (id, checked_at) VALUES (1, ?)').bind(now).run()
  return []
}

/**
 * Compares the applied migrations with those of this release. `missing`: not applied, or applied with another text. `newer`: of
 * another release. Rejects if D1 cannot be read.
 */
export async function compareTables(db: D1Database): Promise<{ missing: string[]; newer: string[] }> {
  const applied = await db
    .prepare('SELECT name, sha256 FROM migration_hashes')
    .all<{ name: string; sha256: string }>()
    .catch((thrown: unknown) => {
      if (thrown instanceof Error && thrown.message.includes('no such table')) return { results: [] }
      throw thrown
    })
  const found = new Map(applied.results.map(({ name, sha256 }) => [name, sha256]))
  return {
    missing: Object.entries(hashes).flatMap(([name, sha256]) => (found.get(name) === sha256 ? [] : [name])),
    newer: [...found.keys()].filter((name) => !Object.hasOwn(hashes, name)),
  }
}
