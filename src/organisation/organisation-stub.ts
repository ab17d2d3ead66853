// Where an organisation's object is.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId } from '../platform/ids.ts'
import { objectOpener } from '../platform/open-object.ts'
import type { Region } from '../platform/config.ts'
import type { OPERATOR_LEDGER } from './operator-ledger.ts'
import type { Organisation } from './organisation.do.ts'

/** `region`: heard by the first call that the object ever gets, which founds it. Whoever has only a key gives none. */
export type OrganisationAddress = {
  id: OrganisationId | typeof OPERATOR_LEDGER
  jurisdiction: Jurisdiction
  region?: Region | null
}

export type OpenOrganisation = (address: OrganisationAddress) => DurableObjectStub<Organisation>

export function organisationOpener(
  namespace: DurableObjectNamespace<Organisation>,
  jurisdictions: boolean,
): OpenOrganisation {
  const open = objectOpener(namespace, jurisdictions)
  return ({ id, jurisdiction, region = null }) => open({ name: id, isEuropean: jurisdiction === 'eu', region })
}
