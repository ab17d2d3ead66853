// Writes a log export as countersign-verify reads it: a head with the signed tree, lines, and a signed last line.
// Used by the exports of audit entries and of medical receipts.
import type { Access } from '../accounts/access/access-control.ts'
import type { AttestationKeys, Signer } from '../evidence/records/configured-keys.ts'
import { signIssuedDocument } from '../evidence/records/issued-document.ts'
import { toPublishedKey } from '../evidence/records/key-history.ts'
import type { ProvenAnchor } from '../evidence/bundles/anchor.ts'
import type { Anchor } from '../evidence/bundles/log-proofs.schema.ts'
import { requireSigningKey, presentAnchor, signTreeHead } from '../public-log/present-proofs.ts'
import type { KnownTree } from '../tiles/proofs-from-tiles.ts'
import type { PublicLogService } from '../public-log/public-log.service.ts'
import { type OpenOrganisation, repeatRead } from '../organisation/organisation-client.ts'
import type { Clock } from '../platform/time.ts'
import type { AppContext } from '../platform/context.ts'
import { logUnexpected } from '../platform/log.ts'
import { beginSha256 } from '../platform/sha256.ts'

export type LogExportDeps = {
  open: OpenOrganisation
  /** Null if this deployment has no attestation keys. */
  keys: AttestationKeys | null
  signer: Signer | null
  publicLog: Pick<PublicLogService, 'provePublicEvidence'>
  clock: Clock
}

/** Returns one line of JSON. @see https://jsonlines.org/ */
export const jsonLine = (members: object): string => `${JSON.stringify(members)}\n`

/** Returns members of an export's first line: the signed tree head, the anchor and the public keys. */
export const describeTree = async (
  { keys, signer }: LogExportDeps,
  orgId: string,
  { tree, anchor }: { tree: KnownTree; anchor: Anchor | null },
  now: number,
) => ({
  tree_head: await signTreeHead(signer, { orgId, ...tree }, now),
  anchor,
  public_keys: (keys?.history ?? []).map(toPublishedKey),
})

/** Returns the last line. It is signed with the hash of all bytes before it, so changes to the export are detected. */
export async function signedEnd(
  { signer, clock }: LogExportDeps,
  end: { object: string } & Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = clock()
  return jsonLine(await signIssuedDocument(end, await requireSigningKey(signer, now), now))
}

type LogExportParts = {
  head: () => Promise<string>
  lines: () => AsyncIterable<string>
  /** Records the end of the export in the log and returns the last line. `sha256`: the hash of all bytes before it. */
  end: (sha256: string) => Promise<string>
  /** Records in the log that the reader stopped early or a step failed. */
  breakOff: () => Promise<void>
}

export async function* writeLogExport({ head, lines, end, breakOff }: LogExportParts): AsyncGenerator<string> {
  const hashing = beginSha256()
  const hashed = (text: string): string => {
    hashing.update(text)
    return text
  }
  let isEnded = false
  try {
    yield hashed(await head())
    for await (const text of lines()) yield hashed(text)
    const last = await end(hashing.digestHex())
    isEnded = true
    yield last
  } finally {
    // A failure is ignored: an organisation that was erased meanwhile has no log to write to.
    if (!isEnded) await breakOff().catch(() => undefined)
  }
}

/**
 * Returns the anchor for the head of an export, or null if it cannot be fetched. The export continues without one:
 * the verifier reports the absence, and a long export must not fail because of it.
 *
 * @param tree the tree whose signed head begins the export
 */
export async function anchorOfExport(
  { open, publicLog }: LogExportDeps,
  c: AppContext,
  organisation: Access['organisation'],
  tree: KnownTree,
): Promise<Anchor | null> {
  try {
    const own = await repeatRead(async (): Promise<ProvenAnchor | null> => open(organisation).log.proveAnchor(tree))
    return await presentAnchor(own, (anchorId) => publicLog.provePublicEvidence(c, anchorId))
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    return null
  }
}
