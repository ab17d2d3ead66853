// Entries that have left an organisation's database, out of the sealed objects that they are in.
import { z } from 'zod'
import { archiveObjectName, unpackEntries } from '../../../src/ledger/archive-object.ts'
import { importSealingKey, unseal } from '../../../src/platform/seal.ts'
import { bytes } from './databases.ts'

export const SealedSchema = z.object({
  first: z.int(),
  last: z.int(),
  expires_day: z.int(),
  key_fingerprint: z.string().nullable(),
  key: bytes,
})

/** With the keys that they are sealed under. */
export type Sealed = { objects: z.infer<typeof SealedSchema>[] }

type LeftEntry = { position: number; kind: string; entry: Uint8Array; facts: string | null }

/** In the order of the log. An object that is missing or does not open has none: its entries are then missing from the books. */
export async function openSealed(
  ledger: string,
  { objects }: Sealed,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<LeftEntry[]> {
  const opened = await Promise.all(
    objects.map(async ({ first, last, expires_day: expiresDay, key_fingerprint: keyFingerprint, key }) => {
      const name = archiveObjectName(ledger, { first, last, expiresDay, keyFingerprint })
      const file = files.get(name)
      const packed = file && (await unseal(await importSealingKey(new Uint8Array(key)), name, new Uint8Array(file)))
      return packed ? unpackEntries(packed) : []
    }),
  )
  return opened
    .flat()
    .map(({ position, kind, entry, facts }) => ({ position, kind, entry, facts }))
    .toSorted((a, b) => a.position - b.position)
}
