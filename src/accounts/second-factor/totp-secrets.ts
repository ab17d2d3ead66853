// Seals and opens the secrets of authenticator apps: under a key of the person and the pepper, and the app's own name, so that a
// row that is moved to somebody else does not open.
import { hkdfSync } from 'node:crypto'
import type { Pepper } from '../../platform/config.ts'
import { importSealingKey, seal, SEALING_KEY_BYTES, unseal } from '../../platform/seal.ts'
import type { Totp } from './factors.store.ts'

type Bytes = Uint8Array<ArrayBuffer>
type App = Pick<Totp, 'id' | 'personId'>
type Sealed = Pick<Totp, 'sealed' | 'pepper'>

export type TotpSecrets = {
  seal(app: App, secret: Bytes): Promise<Sealed>
  /** Returns null if the pepper is gone, or the row was changed. */
  open(app: App & Sealed): Promise<Bytes | null>
}

/** Counts the secrets that each version of the pepper seals. */
export async function countByPepper(db: D1Database): Promise<{ pepper: string; secrets: number }[]> {
  const sql = 'SELECT pepper, count(*) AS secrets FROM totp_secrets GROUP BY pepper ORDER BY pepper'
  return (await db.withSession('first-primary').prepare(sql).all<{ pepper: string; secrets: number }>()).results
}

type Deps = { signingPepper: Pepper; peppers: readonly Pepper[] }

export const createTotpSecrets = ({ signingPepper, peppers }: Deps): TotpSecrets => ({
  seal: async (app, secret) => ({
    sealed: await seal(await keyOf(signingPepper, app), nameOf(app), secret),
    pepper: signingPepper.version,
  }),

  async open(app) {
    const pepper = peppers.find(({ version }) => version === app.pepper)
    return pepper === undefined ? null : unseal(await keyOf(pepper, app), nameOf(app), app.sealed)
  },
})

/** @see https://www.rfc-editor.org/rfc/rfc5869 */
const keyOf = ({ bytes }: Pepper, { personId }: App): Promise<CryptoKey> =>
  importSealingKey(new Uint8Array(hkdfSync('sha256', bytes, personId, 'totp-1', SEALING_KEY_BYTES)))

const nameOf = ({ id, personId }: App): string => `totp/${personId}/${id}`
