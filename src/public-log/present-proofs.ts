// Signs an organisation's log heads, and presents heads, proofs, anchors and one call's evidence in the API's form.
import { type Signer, noSigningKey } from '../evidence/records/configured-keys.ts'
import type { SigningKey } from '../evidence/records/signing-key.ts'
import { encodeBase64url } from '../evidence/records/base64.ts'
import { signOrganisationHead } from '../evidence/records/tree-head.ts'
import { contentOf } from '../evidence/entry.ts'
import { anchorLeaf, type ProvenAnchor } from '../evidence/bundles/anchor.ts'
import type { Anchor, TreeHead } from '../evidence/bundles/log-proofs.schema.ts'
import type { KnownTree } from '../tiles/proofs-from-tiles.ts'
import type { InclusionProof } from '../evidence/tree/verify-proof.ts'
import type { PublicEvidence } from './public-log.service.ts'

/** Throws `service_unavailable` if no key can sign. */
export async function requireSigningKey(signer: Signer | null, now: number): Promise<SigningKey> {
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
  const head = await signOrganisationHead({ orgId, treeSize: size, root }, await requireSigningKey(signer, now))
  return { ...head, timestamp: new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z') }
}

export const presentInclusion = (orgId: string, proof: InclusionProof) => {
  const { leaf_hash, leaf_index, tree_size, root_hash, audit_path } = proof
  return { v: 1 as const, org_id: orgId, leaf_hash, leaf_index, tree_size, root_hash, audit_path: [...audit_path] }
}

export const presentRecordProof = (orgId: string, attestationId: string, proof: InclusionProof) => ({
  ...presentInclusion(orgId, proof),
  attestation_id: attestationId,
})

/** Presents how a call ended. `settles`: the position of the call's record. */
export const presentSettlement = (
  { entry, inclusion }: { entry: Uint8Array; inclusion: InclusionProof },
  { orgId, settles }: { orgId: string; settles: number },
) => ({
  settles,
  ...presentEntry({ entry, inclusion }, orgId),
})

/** Presents an entry that is no record. */
export const presentEntry = (
  { entry, inclusion }: { entry: Uint8Array; inclusion: InclusionProof },
  orgId: string,
) => ({
  content: contentOf(entry),
  entry: encodeBase64url(entry),
  proof: presentInclusion(orgId, inclusion),
})

type LoggedCall = { orgId: string; attestationId: string; inclusion: InclusionProof; anchor: ProvenAnchor | null }

type Proving = { signer: Signer | null; prove: (id: string) => Promise<PublicEvidence | null>; now: number }

/**
 * Presents the proofs of a call's record in both logs. Null if the public log has another leaf for it. Throws
 * `service_unavailable` if no key can sign, or if the public log cannot be read.
 *
 * @param prove returns the public log's proof for an id
 */
export async function presentLogProofs(
  { orgId, attestationId, inclusion, anchor }: LoggedCall,
  { signer, prove, now }: Proving,
) {
  const published = await prove(attestationId)
  if (published !== null && published.proof.leaf_hash !== inclusion.leaf_hash) return null
  return {
    organisation_log: {
      head: await signTreeHead(signer, { orgId, ...treeOf(inclusion) }, now),
      proof: presentRecordProof(orgId, attestationId, inclusion),
    },
    public_log: published,
    anchor: await presentAnchor(anchor, prove),
  }
}

export const treeOf = ({ tree_size: size, root_hash: root }: InclusionProof): KnownTree => ({
  size,
  root: Uint8Array.fromHex(root),
})

/**
 * Presents an organisation's anchor with its proof in the public log. Null if there is none, or until a public head covers it.
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
