// Counts and names the second factors that people have.
import { sql, type Sql } from '../../platform/sql.ts'
import type { OwnFactor } from '../access/session-proof.policy.ts'

/** The numbers of a person's factors. */
export type FactorCounts = { passkeys: number; apps: number; codes: number }

/** The factors that a person can use, in the order in which they are offered. */
export const usableFactors = ({ passkeys, apps, codes }: FactorCounts): OwnFactor[] => [
  ...(passkeys > 0 ? (['passkey'] as const) : []),
  ...(apps > 0 ? (['totp'] as const) : []),
  ...(codes > 0 && passkeys + apps > 0 ? (['recovery_code'] as const) : []),
]

/** SQL of the counts of a person. @param person the SQL of the person's id */
export const factorCountsSql = (person: Sql): Sql => sql`
  (SELECT count(*) FROM passkeys WHERE passkeys.person_id = ${person}) AS passkeys,
  (SELECT count(*) FROM totp_secrets WHERE totp_secrets.person_id = ${person} AND confirmed_at IS NOT NULL) AS apps,
  (SELECT count(*) FROM recovery_codes WHERE recovery_codes.person_id = ${person} AND used_at IS NULL) AS codes`

/**
 * SQL of the strongest second factor of a person, one of MEMBER_FACTORS.
 * @param person the SQL of the person's id
 * @param vouching the ids of the identity providers that the operator trusts with it
 */
export const memberFactorSql = (person: Sql, vouching: readonly string[]): Sql => sql`CASE
  WHEN EXISTS (SELECT 1 FROM passkeys WHERE passkeys.person_id = ${person}) THEN 'passkey'
  WHEN EXISTS (SELECT 1 FROM totp_secrets WHERE totp_secrets.person_id = ${person} AND confirmed_at IS NOT NULL) THEN 'totp'
  WHEN EXISTS (SELECT 1 FROM identities JOIN people ON people.id = identities.person_id
      WHERE identities.person_id = ${person} AND people.password IS NULL)
    AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.person_id = ${person}
      AND provider NOT IN (SELECT value FROM json_each(${JSON.stringify(vouching)}))) THEN 'provider'
  ELSE 'none' END`
