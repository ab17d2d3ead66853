// The wire form of heads, proofs and anchors of an organisation's log.
import { type Signer, noSigningKey } from '../evidence/records/attestation-keys.ts'
import type { SigningKey } from '../evidence/records/signing-key.ts'
import { signOrganisationHead } from '../evidence/records/tree-head.ts'
import { anchorLeaf, type ProvenAnchor } from '../evidence/bundles/anchor.ts'
import type { Anchor, TreeHead } from '../evidence/bundles/log.schema.ts'
import type { KnownTree } from '../tiles/proofs.ts'
import type { InclusionProof } from '../evidence/tree/proof.ts'
import type { PublicEvidence } from './public-log.service.ts'

/** Throws `service_unavailable` if no key can sign. */
export async function keyThatSigns(signer: Signer | null, now: number): Promise<SigningKey> {
  const key = (await signer?.keyAt(now)) ?? null
  if (key === null) throw noSigningKey()
  return key
}

/** Throws `service_unavailable` if no key can sign. */
export async function signTreeHead(
  signer: Signer | null,
  { orgId, size, root }: KnownTree & { orgId: string },
  now: number,
): Promise<TreeHead> {
  const head = await signOrganisationHead({ orgId, treeSize: size, root }, await keyThatSigns(signer, now))
  return { ...head, timestamp: new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z') }
}

export const presentInclusion = (orgId: string, proof: InclusionProof) => {
  const { leaf_hash, leaf_index, tree_size, root_hash, audit_path } = proof
  return { v: 1 as const, org_id: orgId, leaf_hash, leaf_index, tree_size, root_hash, audit_path: [...audit_path] }
}

/**
 * An organisation's anchor with its proof in the public log. Null without an anchor, or until a public head covers it.
 *
 * @param prove returns the public log's proof for an anchor's id
 */
export async function presentAnchor(
  own: ProvenAnchor | null,
  prove: (anchorId: string) => Promise<PublicEvidence | null>,
): Promise<Anchor | null> {
  if (own === null) return null
  const { document, consistency } = own
  const logged = await prove(document.anchor_id)
  if (logged === null || logged.proof.leaf_hash !== anchorLeaf(document).toHex()) return null
  return { document, public_log: logged, consistency }
}
