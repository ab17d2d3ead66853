// Stores people's second factors in D1: passkeys, sealed secrets of authenticator apps, and hashes of recovery codes. Each use is a
// claim: statements that use it up once, whatever runs at the same time.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { prepare, sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { D1Store } from '../../platform/stores.ts'
import type { Confirming } from '../access/session-proof.policy.ts'
import type { Claim, Session } from '../people/sessions.store.ts'
import { factorCountsSql, usableFactors, type FactorCounts } from './factor-counts.ts'
import type { Requirement } from '../../policies/second-factor.policy.ts'

export type PasskeyId = `psk_${string}`
export type TotpId = `tot_${string}`

type Bytes = Uint8Array<ArrayBuffer>

/** Times are in milliseconds. */
export type Passkey = {
  readonly id: PasskeyId
  readonly personId: PersonId
  readonly credentialId: Bytes
  /** A COSE key. */
  readonly publicKey: Bytes
  readonly algorithm: number
  readonly counter: number
  /** Its owner's name for it. */
  readonly name: string
  /** The kind of device, as it says itself: a hint, unproven. */
  readonly aaguid: Bytes
  readonly transports: readonly string[]
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** An authenticator app. `pepper`: the version that its secret is sealed under. `failures`: wrong codes since the last right one. */
export type Totp = {
  readonly id: TotpId
  readonly personId: PersonId
  readonly sealed: Bytes
  readonly pepper: string
  readonly failures: number
  readonly createdAt: number
  readonly confirmedAt: number | null
  readonly lastUsedAt: number | null
}

export type RecoveryCodesLeft = { left: number; createdAt: number }

/** The time within which an app's first code must follow, in milliseconds. */
export const TOTP_WAITS_MS = 15 * MINUTE_MS

export const MOST_PASSKEYS = 10
/** The wrong codes in a row after which an app's codes are taken no more. */
export const MOST_FAILURES = 100

/** D1 returns a BLOB as an array of numbers. */
type Returned<Row> = { [Name in keyof Row]: Row[Name] extends Bytes ? ArrayBuffer | readonly number[] : Row[Name] }

type PasskeyRow = Omit<Passkey, 'transports' | 'isBackupEligible' | 'isBackedUp'> & {
  transports: string
  isBackupEligible: 0 | 1
  isBackedUp: 0 | 1
}

/** Statements that change factors. `held` is the condition that they did. */
export type FactorChange = { statements: D1PreparedStatement[]; held: Sql }

const PASSKEY = sqlColumnsOf<PasskeyRow>(
  {
    id: 'id',
    personId: 'person_id',
    credentialId: 'credential_id',
    publicKey: 'public_key',
    algorithm: 'algorithm',
    counter: 'counter',
    name: 'name',
    aaguid: 'aaguid',
    transports: 'transports',
    isBackupEligible: 'backup_eligible',
    isBackedUp: 'backed_up',
    createdAt: 'created_at',
    lastUsedAt: 'last_used_at',
  },
  'passkeys',
)

const TOTP = sql`id, person_id AS personId, sealed, pepper, failures, created_at AS createdAt, confirmed_at AS confirmedAt,
  last_used_at AS lastUsedAt`

export class FactorsStore extends D1Store {
  async count(person: PersonId): Promise<FactorCounts> {
    const [counts] = await this.listCurrent<FactorCounts>(sql`SELECT ${factorCountsSql(sql`${person}`)}`)
    return counts ?? { passkeys: 0, apps: 0, codes: 0 }
  }

  /**
   * Lists what a person may confirm the session by: their factors; else the password, or an identity provider if there is none or
   * if one vouches for the session, since a password proves less.
   */
  async listConfirming({ personId, secondFactor }: Pick<Session, 'personId' | 'secondFactor'>): Promise<Confirming[]> {
    const row = await this.findCurrent<FactorCounts & { hasPassword: 0 | 1 }>(
      sql`SELECT password IS NOT NULL AS hasPassword, ${factorCountsSql(sql`people.id`)} FROM people WHERE id = ${personId}`,
    )
    if (row === null) return []
    const own = usableFactors({ ...row, codes: 0 }).filter((factor) => factor !== 'recovery_code')
    return own.length > 0 ? own : [row.hasPassword === 1 && secondFactor !== 'provider' ? 'password' : 'provider']
  }

  async listPasskeys(person: PersonId): Promise<Passkey[]> {
    const rows = await this.listCurrent<Returned<PasskeyRow>>(
      sql`SELECT ${PASSKEY.selected} FROM passkeys WHERE person_id = ${person} ORDER BY id`,
    )
    return rows.map(passkeyFromRow)
  }

  /** Finds a passkey by its credential, with the handle by which its owner's devices know the owner. */
  async findPasskey(credentialId: Bytes): Promise<{ passkey: Passkey; handle: Bytes } | null> {
    const found = await this.findCurrent<Returned<PasskeyRow & { handle: Bytes }>>(
      sql`SELECT ${PASSKEY.selected}, passkey_handle AS handle
        FROM passkeys JOIN people ON people.id = person_id WHERE credential_id = ${credentialId}`,
    )
    if (found === null) return null
    const { handle, ...row } = found
    return { passkey: passkeyFromRow(row), handle: new Uint8Array(handle) }
  }

  /** Returns the handle by which devices know the person: random, so that it tells them nothing. Makes it if there is none. */
  async handleOf(person: PersonId): Promise<Bytes> {
    const made = crypto.getRandomValues(new Uint8Array(32))
    const handle = await this.prepare(
      sql`UPDATE people SET passkey_handle = COALESCE(passkey_handle, ${made}) WHERE id = ${person} RETURNING passkey_handle`,
    ).first<Returned<{ handle: Bytes }>['handle']>('passkey_handle')
    return new Uint8Array(handle ?? [])
  }

  /** Returns the renamed passkey; null if the person has no such passkey. */
  async renamePasskey(person: PersonId, id: string, name: string): Promise<Passkey | null> {
    const row = await this.prepare(
      sql`UPDATE passkeys SET name = ${name} WHERE id = ${id} AND person_id = ${person} RETURNING ${PASSKEY.selected}`,
    ).first<Returned<PasskeyRow>>()
    return row && passkeyFromRow(row)
  }

  async has(person: PersonId, id: string): Promise<boolean> {
    const passkeys = await this.listPasskeys(person)
    return passkeys.some((one) => one.id === id) || (await this.findTotp(person, 'in_force'))?.id === id
  }

  /** Finds the person's app that is in force, or the one that waits for its first code. */
  async findTotp(person: PersonId, state: 'in_force' | 'to_confirm'): Promise<Totp | null> {
    const row = await this.findCurrent<Returned<Totp>>(
      sql`SELECT ${TOTP} FROM totp_secrets
        WHERE person_id = ${person} AND confirmed_at ${state === 'in_force' ? sql`IS NOT NULL` : sql`IS NULL`}`,
    )
    return row && { ...row, sealed: new Uint8Array(row.sealed) }
  }

  /** Returns how many recovery codes are left of the person's set, and when it was made; null if there is none. */
  async findCodes(person: PersonId): Promise<RecoveryCodesLeft | null> {
    const [row] = await this.listCurrent<{ left: number; createdAt: number | null }>(
      sql`SELECT count(*) FILTER (WHERE used_at IS NULL) AS left, max(created_at) AS createdAt FROM recovery_codes
        WHERE person_id = ${person}`,
    )
    return row?.createdAt == null ? null : { left: row.left, createdAt: row.createdAt }
  }

  /** Counts a wrong code of an app. Returns the wrong ones in a row. */
  async countFailure(id: TotpId): Promise<number> {
    const counting = sql`UPDATE totp_secrets SET failures = failures + 1 WHERE id = ${id} RETURNING failures`
    return (await this.prepare(counting).first<number>('failures')) ?? 0
  }

  /** Claims a challenge for a passkey whose counter is still below the new one. Authenticators without a counter send 0 always. */
  claimPasskey(
    { id }: Passkey,
    challenge: Challenge,
    { counter, isBackedUp }: Pick<Passkey, 'counter' | 'isBackedUp'>,
    now: number,
  ): Claim {
    const isNewer = sql`EXISTS (SELECT 1 FROM passkeys
      WHERE id = ${id} AND counter <= ${counter} AND (counter < ${counter} OR counter = 0))`
    const { statement, held } = this.#useUp(challenge, isNewer)
    const noting = sql`UPDATE passkeys SET counter = ${counter}, backed_up = ${Number(isBackedUp)}, last_used_at = ${now}
      WHERE id = ${id} AND ${held}`
    return { factor: 'passkey', statements: [statement, this.prepare(noting)], held }
  }

  /** Claims a step of an app, above all steps that were used. @param renewed the secret, sealed anew */
  claimTotp({ id }: Totp, step: number, renewed: Pick<Totp, 'sealed' | 'pepper'>, now: number): Claim {
    const use = crypto.randomUUID()
    const claiming = sql`UPDATE totp_secrets SET last_step = ${step}, last_use = ${use}, failures = 0,
        last_used_at = ${now}, sealed = ${renewed.sealed}, pepper = ${renewed.pepper}
      WHERE id = ${id} AND confirmed_at IS NOT NULL AND last_step < ${step} AND failures < ${MOST_FAILURES}`
    return { factor: 'totp', statements: [this.prepare(claiming)], held: heldBy(sql`totp_secrets`, use) }
  }

  claimRecoveryCode(person: PersonId, hash: Bytes, now: number): Claim {
    const use = crypto.randomUUID()
    const claiming = sql`UPDATE recovery_codes SET used_at = ${now}, last_use = ${use}
      WHERE code_hash = ${hash} AND person_id = ${person} AND used_at IS NULL`
    return { factor: 'recovery_code', statements: [this.prepare(claiming)], held: heldBy(sql`recovery_codes`, use) }
  }

  /** Stores the secret of an app that waits for its first code, in the place of an earlier one that waited. */
  async beginTotp({ id, personId, sealed, pepper, createdAt }: Omit<Totp, 'failures' | 'confirmedAt' | 'lastUsedAt'>) {
    await this.db.batch([
      this.prepare(sql`DELETE FROM totp_secrets WHERE person_id = ${personId} AND confirmed_at IS NULL`),
      this.prepare(sql`INSERT INTO totp_secrets (id, person_id, sealed, pepper, created_at)
        VALUES (${id}, ${personId}, ${sealed}, ${pepper}, ${createdAt})`),
    ])
  }

  /** Puts an app in force by its first code, in the place of the one before. */
  confirmTotp({ id, personId }: Totp, session: SessionId, step: number, now: number): FactorChange {
    const use = crypto.randomUUID()
    return {
      statements: [
        this.prepare(sql`DELETE FROM totp_secrets WHERE person_id = ${personId} AND id <> ${id}
          AND EXISTS (SELECT 1 FROM totp_secrets WHERE id = ${id} AND confirmed_at IS NULL)`),
        this.prepare(sql`UPDATE totp_secrets SET confirmed_at = ${now}, last_step = ${step}, last_use = ${use}
          WHERE id = ${id} AND confirmed_at IS NULL AND ${isSession(session)}`),
      ],
      held: heldBy(sql`totp_secrets`, use),
    }
  }

  /** Adds a passkey, unless the person has ten or another has it. */
  addPasskey(passkey: Passkey, session: SessionId, challenge: Challenge): FactorChange {
    const { statement, held } = this.#useUp(challenge, isSession(session))
    const values = PASSKEY.valuesOf({
      ...passkey,
      transports: JSON.stringify(passkey.transports),
      isBackupEligible: passkey.isBackupEligible ? 1 : 0,
      isBackedUp: passkey.isBackedUp ? 1 : 0,
    })
    const adding = sql`INSERT INTO passkeys (${PASSKEY.names}) SELECT ${values}
      WHERE ${held} AND (SELECT count(*) FROM passkeys WHERE person_id = ${passkey.personId}) < ${MOST_PASSKEYS}
      ON CONFLICT DO NOTHING`
    return {
      statements: [statement, this.prepare(adding)],
      held: sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${passkey.id})`,
    }
  }

  /** Returns the statement that notes when the person got a first factor. */
  noteFirst(person: PersonId, held: Sql, now: number): D1PreparedStatement {
    return this.prepare(sql`UPDATE people SET second_factor_since = COALESCE(second_factor_since, ${now})
      WHERE id = ${person} AND ${held}`)
  }

  /** Returns statements that replace the person's recovery codes. */
  replaceCodes(person: PersonId, hashes: readonly Bytes[], held: Sql, now: number): D1PreparedStatement[] {
    return [
      sql`DELETE FROM recovery_codes WHERE person_id = ${person} AND ${held}`,
      ...hashes.map(
        (hash) => sql`INSERT INTO recovery_codes (code_hash, person_id, created_at)
          SELECT ${hash}, ${person}, ${now} WHERE ${held}`,
      ),
    ].map((statement) => this.prepare(statement))
  }

  /**
   * Removes one factor, and recovery codes with the last one, if it may be removed.
   * @param left what has to be left: nothing, any factor, or a passkey
   */
  remove(person: PersonId, id: string, left: Requirement['secondFactor']): FactorChange {
    const isPasskey = id.startsWith('psk_')
    const table = isPasskey ? sql`passkeys` : sql`totp_secrets`
    const isInForce = isPasskey ? sql`TRUE` : sql`confirmed_at IS NOT NULL`
    const passkeys = sql`(SELECT count(*) FROM passkeys WHERE person_id = ${person} AND id <> ${id})`
    const apps = sql`(SELECT count(*) FROM totp_secrets
      WHERE person_id = ${person} AND id <> ${id} AND confirmed_at IS NOT NULL)`
    const isEnough = { off: sql`TRUE`, any: sql`${passkeys} + ${apps} > 0`, phishing_resistant: sql`${passkeys} > 0` }
    const held = sql`EXISTS (SELECT 1 FROM ${table}
      WHERE person_id = ${person} AND id = ${id} AND ${isInForce} AND ${isEnough[left]})`
    const hasNone = sql`NOT EXISTS (SELECT 1 FROM passkeys WHERE person_id = ${person})
      AND NOT EXISTS (SELECT 1 FROM totp_secrets WHERE person_id = ${person} AND confirmed_at IS NOT NULL)`
    return {
      statements: [
        this.prepare(sql`DELETE FROM ${table} WHERE id = ${id} AND ${held}`),
        this.prepare(sql`DELETE FROM recovery_codes WHERE person_id = ${person} AND ${hasNone}`),
        this.prepare(sql`UPDATE people SET second_factor_since = NULL WHERE id = ${person} AND ${hasNone}`),
        // What proved a session and is gone proves it no longer.
        this.prepare(sql`UPDATE sessions SET second_factor = NULL, second_factor_at = NULL WHERE person_id = ${person}
          AND (second_factor = ${isPasskey ? 'passkey' : 'totp'}
              AND NOT EXISTS (SELECT 1 FROM ${table} WHERE person_id = ${person} AND ${isInForce})
            OR second_factor = 'recovery_code' AND ${hasNone})`),
      ],
      held,
    }
  }

  /** Uses a challenge up once, if the condition holds. */
  #useUp({ bytes, expiresAt }: Challenge, condition: Sql): { statement: D1PreparedStatement; held: Sql } {
    const use = crypto.randomUUID()
    const statement = this.prepare(sql`INSERT INTO used_challenges (challenge, used_for, expires_at)
      SELECT ${bytes}, ${use}, ${expiresAt} WHERE ${condition} ON CONFLICT DO NOTHING`)
    return { statement, held: sql`EXISTS (SELECT 1 FROM used_challenges WHERE used_for = ${use})` }
  }
}

/** Returns the statements that remove all second factors of a person if the condition holds. The last changes the person. */
export function removeAllFactors(db: D1Database, person: PersonId, held: Sql): D1PreparedStatement[] {
  return [
    sql`DELETE FROM passkeys WHERE person_id = ${person} AND ${held}`,
    sql`DELETE FROM totp_secrets WHERE person_id = ${person} AND ${held}`,
    sql`DELETE FROM recovery_codes WHERE person_id = ${person} AND ${held}`,
    sql`UPDATE people SET second_factor_since = NULL WHERE id = ${person} AND ${held}`,
  ].map((change) => prepare(db, change))
}

/** A session that ended meanwhile, as by a new password, sets nothing up. */
const isSession = (id: SessionId): Sql => sql`EXISTS (SELECT 1 FROM sessions WHERE sessions.id = ${id})`

/** A challenge that the browser brought back. `expiresAt` is in milliseconds. */
export type Challenge = { readonly bytes: Bytes; readonly expiresAt: number }

const heldBy = (table: Sql, use: string): Sql => sql`EXISTS (SELECT 1 FROM ${table} WHERE last_use = ${use})`

const TransportsSchema = once(() => z.array(z.string()))

const passkeyFromRow = (row: Returned<PasskeyRow>): Passkey => ({
  ...row,
  credentialId: new Uint8Array(row.credentialId),
  publicKey: new Uint8Array(row.publicKey),
  aaguid: new Uint8Array(row.aaguid),
  transports: TransportsSchema().parse(JSON.parse(row.transports)),
  isBackupEligible: row.isBackupEligible === 1,
  isBackedUp: row.isBackedUp === 1,
})
