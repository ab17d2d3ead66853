// Entries that have left an organisation's database, out of the sealed objects that they are in.
import { z } from 'zod'
import { archiveObjectName, unpackEntries } from '../../../../src/organisation/journal/archive-object.ts'
import { importSealingKey, unseal } from '../../../../src/platform/seal.ts'
import { bytes } from './databases.ts'

/** `key`: that it is sealed under; null while its entries are still in the database. */
export const SealedSchema = z.object({
  first: z.int(),
  last: z.int(),
  expires_day: z.int(),
  key_fingerprint: z.string(),
  key: bytes.nullable(),
})

export type Sealed = z.infer<typeof SealedSchema>

type LeftEntry = { position: number; kind: string; entry: Uint8Array; facts: string | null; expiresAt: number }

export const sealedName = (
  ledger: string,
  { first, last, expires_day: expiresDay, key_fingerprint: keyFingerprint }: Sealed,
): string => archiveObjectName(ledger, { first, last, expiresDay, keyFingerprint })

/** In the order of the log. An object that is missing or does not open has none: its entries are then missing from the books. */
export async function openSealed(
  ledger: string,
  objects: readonly Sealed[],
  files: ReadonlyMap<string, Uint8Array>,
): Promise<LeftEntry[]> {
  const opened = await Promise.all(
    objects.map(async (object) => {
      const name = sealedName(ledger, object)
      const file = files.get(name)
      if (file === undefined || object.key === null) return []
      const packed = await unseal(await importSealingKey(new Uint8Array(object.key)), name, new Uint8Array(file))
      return packed === null ? [] : unpackEntries(packed)
    }),
  )
  return opened
    .flat()
    .map(({ position, kind, entry, facts, expiresAt }) => ({ position, kind, entry, facts, expiresAt }))
    .toSorted((a, b) => a.position - b.position)
}
