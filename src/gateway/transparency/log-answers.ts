// How heads and proofs of an organisation's log are answered.
import type { Signer } from '../../attestation/attestation-keys.ts'
import { noSigningKey } from '../../attestation/configured-keys.ts'
import { signOrganisationHead } from '../../attestation/tree-head.ts'
import type { Inclusion, LogHead } from '../../organisation/transparency.ts'
import type { TreeHead } from './transparency.schema.ts'

/** Throws `service_unavailable` where no key signs. */
export async function signTreeHead(
  signer: Signer | null,
  { orgId, size, root }: LogHead & { orgId: string },
  now: number,
): Promise<TreeHead> {
  const signingKey = (await signer?.keyAt(now)) ?? null
  if (signingKey === null) throw noSigningKey()
  const head = await signOrganisationHead({ orgId, treeSize: size, root }, signingKey)
  return { ...head, timestamp: new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z') }
}

export const presentInclusion = (orgId: string, { leafHash, leafIndex, tree, path }: Inclusion) => ({
  v: 1 as const,
  org_id: orgId,
  leaf_hash: leafHash.toHex(),
  leaf_index: leafIndex,
  tree_size: tree.size,
  root_hash: tree.root.toHex(),
  audit_path: path.map((hash) => hash.toHex()),
})
