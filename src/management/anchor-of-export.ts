// The anchor at the beginning of an export. An export continues without one if it cannot be fetched: the verifier reports
// the absence, and an export of an hour must not fail for a part that the next export has.
import type { Access } from '../accounts/access/access.ts'
import type { ProvenAnchor } from '../evidence/bundles/anchor.ts'
import type { Anchor } from '../evidence/bundles/log.schema.ts'
import { presentAnchor } from '../public-log/log-answers.ts'
import type { KnownTree } from '../tiles/proofs.ts'
import type { PublicLogService } from '../public-log/public-log.service.ts'
import { type OpenOrganisation, repeatRead } from '../organisation/client.ts'
import type { AppContext } from '../platform/context.ts'
import { logUnexpected } from '../platform/log.ts'

type Deps = { open: OpenOrganisation; publicLog: Pick<PublicLogService, 'provePublicEvidence'> }

/** @param tree the tree whose signed head begins the export */
export async function anchorOfExport(
  { open, publicLog }: Deps,
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
