// Stores people's second factors in D1: passkeys, sealed secrets of authenticator apps, and hashes of recovery codes. Each use is a
// claim: statements that use it up once, whatever runs at the same time.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { D1Store } from '../../platform/stores.ts'
import type { Confirming } from '../access/session-proof.policy.ts'
import type { Claim, Condition, Session } from '../people/sessions.store.ts'
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

type Blob = ArrayBuffer | readonly number[]

type PasskeyRow = Omit<
  Passkey,
  'credentialId' | 'publicKey' | 'aaguid' | 'transports' | 'isBackupEligible' | 'isBackedUp'
> & {
  credentialId: Blob
  publicKey: Blob
  aaguid: Blob
  transports: string
  isBackupEligible: 0 | 1
  isBackedUp: 0 | 1
}

const PASSKEY = `passkeys.id AS id, passkeys.person_id AS personId, credential_id AS credentialId, public_key AS publicKey, algorithm,
  counter, passkeys.name AS name, aaguid, transports, backup_eligible AS isBackupEligible, backed_up AS isBackedUp,
  passkeys.created_at AS createdAt, last_used_at AS lastUsedAt`

const TOTP = `id, person_id AS personId, sealed, pepper, failures, created_at AS createdAt, confirmed_at AS confirmedAt,
  last_used_at AS lastUsedAt`

export class FactorsStore extends D1Store {
  async count(person: PersonId): Promise<FactorCounts> {
    const [counts] = await this.listCurrent<FactorCounts>(`SELECT ${factorCountsSql('?1')}`, person)
    return counts ?? { passkeys: 0, apps: 0, codes: 0 }
  }

  /**
   * Lists what a person may confirm the session by: their factors; else the password, or an identity provider if there is none or
   * if one vouches for the session, since a password proves less.
   */
  async listConfirming({ personId, secondFactor }: Pick<Session, 'personId' | 'secondFactor'>): Promise<Confirming[]> {
    const [row] = await this.listCurrent<FactorCounts & { hasPassword: 0 | 1 }>(
      `SELECT password IS NOT NULL AS hasPassword, ${factorCountsSql('people.id')} FROM people WHERE id = ?`,
      personId,
    )
    if (row === undefined) return []
    const own = usableFactors({ ...row, codes: 0 }).filter((factor) => factor !== 'recovery_code')
    return own.length > 0 ? own : [row.hasPassword === 1 && secondFactor !== 'provider' ? 'password' : 'provider']
  }

  async listPasskeys(person: PersonId): Promise<Passkey[]> {
    const rows = await this.listCurrent<PasskeyRow>(
      `SELECT ${PASSKEY} FROM passkeys WHERE person_id = ? ORDER BY id`,
      person,
    )
    return rows.map(passkeyFromRow)
  }

  /** Finds a passkey by its credential, with the handle by which its owner's devices know the owner. */
  async findPasskey(credentialId: Bytes): Promise<{ passkey: Passkey; handle: Bytes } | null> {
    const row = await this.db
      .withSession('first-primary')
      .prepare(
        `SELECT ${PASSKEY}, passkey_handle AS handle FROM passkeys JOIN people ON people.id = person_id WHERE credential_id = ?`,
      )
      .bind(credentialId)
      .first<PasskeyRow & { handle: Blob }>()
    return row && { passkey: passkeyFromRow(row), handle: bytesOf(row.handle) }
  }

  /** Returns the handle by which devices know the person: random, so that it tells them nothing. Makes it if there is none. */
  async handleOf(person: PersonId): Promise<Bytes> {
    const handle = await this.db
      .prepare('UPDATE people SET passkey_handle = COALESCE(passkey_handle, ?) WHERE id = ? RETURNING passkey_handle')
      .bind(crypto.getRandomValues(new Uint8Array(32)), person)
      .first<Blob>('passkey_handle')
    return bytesOf(handle ?? [])
  }

  /** Returns whether the person has such a passkey. */
  async renamePasskey(person: PersonId, id: string, name: string): Promise<Passkey | null> {
    const row = await this.db
      .prepare(`UPDATE passkeys SET name = ? WHERE id = ? AND person_id = ? RETURNING ${PASSKEY}`)
      .bind(name, id, person)
      .first<PasskeyRow>()
    return row && passkeyFromRow(row)
  }

  async has(person: PersonId, id: string): Promise<boolean> {
    const passkeys = await this.listPasskeys(person)
    return passkeys.some((one) => one.id === id) || (await this.findTotp(person, 'in_force'))?.id === id
  }

  /** Finds the person's app that is in force, or the one that waits for its first code. */
  async findTotp(person: PersonId, state: 'in_force' | 'to_confirm'): Promise<Totp | null> {
    const [row] = await this.listCurrent<Omit<Totp, 'sealed'> & { sealed: Blob }>(
      `SELECT ${TOTP} FROM totp_secrets WHERE person_id = ? AND confirmed_at IS ${state === 'in_force' ? 'NOT ' : ''}NULL`,
      person,
    )
    return row === undefined ? null : { ...row, sealed: bytesOf(row.sealed) }
  }

  /** Returns how many recovery codes are left of the person's set, and when it was made; null if there is none. */
  async findCodes(person: PersonId): Promise<RecoveryCodesLeft | null> {
    const [row] = await this.listCurrent<{ left: number; createdAt: number | null }>(
      `SELECT count(*) FILTER (WHERE used_at IS NULL) AS left, max(created_at) AS createdAt FROM recovery_codes
       WHERE person_id = ?`,
      person,
    )
    return row?.createdAt == null ? null : { left: row.left, createdAt: row.createdAt }
  }

  /** Counts a wrong code of an app. Returns the wrong ones in a row. */
  async countFailure(id: TotpId): Promise<number> {
    const failures = await this.db
      .prepare('UPDATE totp_secrets SET failures = failures + 1 WHERE id = ? RETURNING failures')
      .bind(id)
      .first<number>('failures')
    return failures ?? 0
  }

  /** Claims a challenge for a passkey whose counter is still below the new one. Authenticators without a counter send 0 always. */
  claimPasskey(
    { id }: Passkey,
    challenge: Challenge,
    seen: { counter: number; isBackedUp: boolean },
    now: number,
  ): Claim {
    const use = crypto.randomUUID()
    const held = heldChallenge(use)
    const claimed = {
      sql: 'EXISTS (SELECT 1 FROM passkeys WHERE id = ? AND counter <= ? AND (counter < ? OR counter = 0))',
    }
    return {
      factor: 'passkey',
      statements: [
        this.#useUp(challenge, use, { ...claimed, values: [id, seen.counter, seen.counter] }),
        this.db
          .prepare(`UPDATE passkeys SET counter = ?, backed_up = ?, last_used_at = ? WHERE id = ? AND ${held.sql}`)
          .bind(seen.counter, Number(seen.isBackedUp), now, id, ...held.values),
      ],
      held,
    }
  }

  /** Claims a step of an app, above all steps that were used. @param renewed the secret, sealed anew */
  claimTotp({ id }: Totp, step: number, { sealed, pepper }: Pick<Totp, 'sealed' | 'pepper'>, now: number): Claim {
    const use = crypto.randomUUID()
    const statement = this.db
      .prepare(
        `UPDATE totp_secrets SET last_step = ?1, last_use = ?2, failures = 0, last_used_at = ?3, sealed = ?4, pepper = ?5
         WHERE id = ?6 AND confirmed_at IS NOT NULL AND last_step < ?1 AND failures < ${MOST_FAILURES}`,
      )
      .bind(step, use, now, sealed, pepper, id)
    return { factor: 'totp', statements: [statement], held: heldBy('totp_secrets', use) }
  }

  claimRecoveryCode(person: PersonId, hash: Bytes, now: number): Claim {
    const use = crypto.randomUUID()
    const statement = this.db
      .prepare(
        'UPDATE recovery_codes SET used_at = ?, last_use = ? WHERE code_hash = ? AND person_id = ? AND used_at IS NULL',
      )
      .bind(now, use, hash, person)
    return { factor: 'recovery_code', statements: [statement], held: heldBy('recovery_codes', use) }
  }

  /** Stores the secret of an app that waits for its first code, in the place of an earlier one that waited. */
  async beginTotp({ id, personId, sealed, pepper, createdAt }: Omit<Totp, 'failures' | 'confirmedAt' | 'lastUsedAt'>) {
    await this.db.batch([
      this.db.prepare('DELETE FROM totp_secrets WHERE person_id = ? AND confirmed_at IS NULL').bind(personId),
      this.db
        .prepare('INSERT INTO totp_secrets (id, person_id, sealed, pepper, created_at) VALUES (?, ?, ?, ?, ?)')
        .bind(id, personId, sealed, pepper, createdAt),
    ])
  }

  /** Returns statements that put an app in force by its first code, in the place of the one before, and whether they did. */
  confirmTotp(
    { id, personId }: Totp,
    session: SessionId,
    step: number,
    now: number,
  ): { statements: D1PreparedStatement[]; held: Condition } {
    const use = crypto.randomUUID()
    const waits = 'EXISTS (SELECT 1 FROM totp_secrets WHERE id = ? AND confirmed_at IS NULL)'
    return {
      statements: [
        this.db.prepare(`DELETE FROM totp_secrets WHERE person_id = ? AND id <> ? AND ${waits}`).bind(personId, id, id),
        this.db
          .prepare(
            `UPDATE totp_secrets SET confirmed_at = ?, last_step = ?, last_use = ?
             WHERE id = ? AND confirmed_at IS NULL AND ${IS_SESSION}`,
          )
          .bind(now, step, use, id, session),
      ],
      held: heldBy('totp_secrets', use),
    }
  }

  /** Returns statements that add a passkey, unless the person has ten or another has it, and whether they did. */
  addPasskey(
    passkey: Passkey,
    session: SessionId,
    challenge: Challenge,
  ): { statements: D1PreparedStatement[]; held: Condition } {
    const use = crypto.randomUUID()
    const used = heldChallenge(use)
    const { id, personId, credentialId, publicKey, algorithm, counter, name, aaguid, transports, createdAt } = passkey
    return {
      statements: [
        this.#useUp(challenge, use, { sql: IS_SESSION, values: [session] }),
        this.db
          .prepare(
            `INSERT INTO passkeys (id, person_id, credential_id, public_key, algorithm, counter, name, aaguid, transports,
               backup_eligible, backed_up, created_at)
             SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
             WHERE ${used.sql} AND (SELECT count(*) FROM passkeys WHERE person_id = ?) < ${MOST_PASSKEYS}
             ON CONFLICT DO NOTHING`,
          )
          .bind(
            id,
            personId,
            credentialId,
            publicKey,
            algorithm,
            counter,
            name,
            aaguid,
            JSON.stringify(transports),
            Number(passkey.isBackupEligible),
            Number(passkey.isBackedUp),
            createdAt,
            ...used.values,
            personId,
          ),
      ],
      held: { sql: 'EXISTS (SELECT 1 FROM passkeys WHERE id = ?)', values: [id] },
    }
  }

  /** Returns the statement that notes when the person got a first factor. */
  noteFirst(person: PersonId, { sql, values }: Condition, now: number): D1PreparedStatement {
    return this.db
      .prepare(`UPDATE people SET second_factor_since = COALESCE(second_factor_since, ?) WHERE id = ? AND ${sql}`)
      .bind(now, person, ...values)
  }

  /** Returns statements that replace the person's recovery codes. */
  replaceCodes(
    person: PersonId,
    hashes: readonly Bytes[],
    { sql, values }: Condition,
    now: number,
  ): D1PreparedStatement[] {
    return [
      this.db.prepare(`DELETE FROM recovery_codes WHERE person_id = ? AND ${sql}`).bind(person, ...values),
      ...hashes.map((hash) =>
        this.db
          .prepare(`INSERT INTO recovery_codes (code_hash, person_id, created_at) SELECT ?, ?, ? WHERE ${sql}`)
          .bind(hash, person, now, ...values),
      ),
    ]
  }

  /**
   * Returns statements that remove one factor, and recovery codes with the last one; and whether it may be removed.
   * @param left what has to be left: nothing, any factor, or a passkey
   */
  remove(
    person: PersonId,
    id: string,
    left: Requirement['secondFactor'],
  ): { statements: D1PreparedStatement[]; held: Condition } {
    const table = id.startsWith('psk_') ? 'passkeys' : 'totp_secrets'
    const passkeysLeft = '(SELECT count(*) FROM passkeys WHERE person_id = ? AND id <> ?)'
    const appsLeft = '(SELECT count(*) FROM totp_secrets WHERE person_id = ? AND id <> ? AND confirmed_at IS NOT NULL)'
    const counted = { off: [], any: [passkeysLeft, appsLeft], phishing_resistant: [passkeysLeft] }[left]
    const isEnough = counted.length === 0 ? 'TRUE' : `${counted.join(' + ')} > 0`
    const isInForce = table === 'passkeys' ? 'TRUE' : 'confirmed_at IS NOT NULL'
    const held = {
      sql: `EXISTS (SELECT 1 FROM ${table} WHERE person_id = ? AND id = ? AND ${isInForce} AND ${isEnough})`,
      values: [person, id, ...counted.flatMap(() => [person, id])],
    }
    const hasNone = `NOT EXISTS (SELECT 1 FROM passkeys WHERE person_id = ?1)
      AND NOT EXISTS (SELECT 1 FROM totp_secrets WHERE person_id = ?1 AND confirmed_at IS NOT NULL)`
    return {
      statements: [
        this.db.prepare(`DELETE FROM ${table} WHERE id = ? AND ${held.sql}`).bind(id, ...held.values),
        this.db.prepare(`DELETE FROM recovery_codes WHERE person_id = ?1 AND ${hasNone}`).bind(person),
        this.db.prepare(`UPDATE people SET second_factor_since = NULL WHERE id = ?1 AND ${hasNone}`).bind(person),
        // What proved a session and is gone proves it no longer.
        this.db
          .prepare(
            `UPDATE sessions SET second_factor = NULL, second_factor_at = NULL WHERE person_id = ?1
             AND (second_factor = ?2 AND NOT EXISTS (SELECT 1 FROM ${table} WHERE person_id = ?1 AND ${isInForce})
               OR second_factor = 'recovery_code' AND ${hasNone})`,
          )
          .bind(person, table === 'passkeys' ? 'passkey' : 'totp'),
      ],
      held,
    }
  }

  #useUp({ bytes, expiresAt }: Challenge, use: string, { sql, values }: Condition): D1PreparedStatement {
    return this.db
      .prepare(
        `INSERT INTO used_challenges (challenge, used_for, expires_at) SELECT ?, ?, ? WHERE ${sql} ON CONFLICT DO NOTHING`,
      )
      .bind(bytes, use, expiresAt, ...values)
  }
}

/** Returns the statements that remove all second factors of a person if the condition holds. The last changes the person. */
export function removeAllFactors(db: D1Database, person: PersonId, { sql, values }: Condition): D1PreparedStatement[] {
  const deletions = ['passkeys', 'totp_secrets', 'recovery_codes'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE person_id = ? AND ${sql}`).bind(person, ...values),
  )
  const forgetting = db.prepare(`UPDATE people SET second_factor_since = NULL WHERE id = ? AND ${sql}`)
  return [...deletions, forgetting.bind(person, ...values)]
}

/** A session that ended meanwhile, as by a new password, sets nothing up. */
const IS_SESSION = 'EXISTS (SELECT 1 FROM sessions WHERE sessions.id = ?)'

/** A challenge that the browser brought back. `expiresAt` is in milliseconds. */
export type Challenge = { readonly bytes: Bytes; readonly expiresAt: number }

const heldBy = (table: 'totp_secrets' | 'recovery_codes', use: string): Condition => ({
  sql: `EXISTS (SELECT 1 FROM ${table} WHERE last_use = ?)`,
  values: [use],
})

const heldChallenge = (use: string): Condition => ({
  sql: 'EXISTS (SELECT 1 FROM used_challenges WHERE used_for = ?)',
  values: [use],
})

const TransportsSchema = once(() => z.array(z.string()))

/** D1 gives a BLOB as an array of numbers. */
const bytesOf = (blob: Blob): Bytes => new Uint8Array(blob)

const passkeyFromRow = (row: PasskeyRow): Passkey => ({
  id: row.id,
  personId: row.personId,
  credentialId: bytesOf(row.credentialId),
  publicKey: bytesOf(row.publicKey),
  algorithm: row.algorithm,
  counter: row.counter,
  name: row.name,
  aaguid: bytesOf(row.aaguid),
  transports: TransportsSchema().parse(JSON.parse(row.transports)),
  isBackupEligible: row.isBackupEligible === 1,
  isBackedUp: row.isBackedUp === 1,
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
})
