// Compares and restores a log's tiles for the operator, page by page. Every use is written to a ledger before the response:
// the organisation's own, or the operator's for the public log.
import type { TilesChecked, WantedTiles } from '../../tiles/check-tiles.ts'
import type { PublicLog } from '../../public-log/public-log.do.ts'
import { unlessSealed } from '../../organisation/erasure/sealed.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'
import { OPERATOR_LEDGER } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/config.ts'
import type { OrganisationsStore } from '../organisations.store.ts'
import { byOperator } from './operator.service.ts'

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  open: OpenOrganisation
  openPublicLog: () => Pick<DurableObjectStub<PublicLog>, 'checkTiles'>
}

const actOf = (log: 'ledger' | 'public_log', { act }: WantedTiles, requestId: string) =>
  byOperator(`${log}.${act}_tiles`, requestId)

export type TilesService = ReturnType<typeof createTilesService>

export function createTilesService({ organisations, open, openPublicLog }: Deps) {
  return {
    /** Null if there is no such organisation, or it is being erased. */
    async checkOrganisation(id: string, wanted: WantedTiles, requestId: string): Promise<TilesChecked | null> {
      const found = await organisations.findOrganisation(id)
      if (found === null) return null
      const checking = async () => open(found).log.checkTiles(wanted, actOf('ledger', wanted, requestId))
      return unlessSealed<TilesChecked>(checking())
    },

    async checkPublicLog(wanted: WantedTiles, requestId: string): Promise<TilesChecked> {
      const ledger = open({ id: OPERATOR_LEDGER, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })
      await ledger.log.recordAct(actOf('public_log', wanted, requestId))
      return openPublicLog().checkTiles(wanted)
    },
  }
}
