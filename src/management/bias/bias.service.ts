// What an organisation's people and keys ask about bias.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { BiasDetected, WantedBias } from '../../organisation/bias/bias.target.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'

export type BiasService = ReturnType<typeof createBiasService>

export function createBiasService({ open }: { open: OpenOrganisation }) {
  return {
    /** The ledger says that it was asked for. */
    async detectBias({ organisation, manager }: Access, wanted: WantedBias, requestId: string): Promise<BiasDetected> {
      const act = { actor: actorOf(manager), act: 'compliance.bias_report', requestId }
      return open(organisation).bias.detect(wanted, act)
    },
  }
}
