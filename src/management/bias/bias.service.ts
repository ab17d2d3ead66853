// Detects bias in an organisation's calls, for its people and keys.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { BiasDetected, WantedBias } from '../../organisation/bias/bias.target.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'

export type BiasService = ReturnType<typeof createBiasService>

export function createBiasService({ open }: { open: OpenOrganisation }) {
  return {
    /** Writes the request to the ledger. */
    async detectBias({ organisation, manager }: Access, wanted: WantedBias, requestId: string): Promise<BiasDetected> {
      const act = { actor: actorOf(manager), act: 'compliance.bias_report', requestId }
      return open(organisation).bias.detect(wanted, act)
    },
  }
}
