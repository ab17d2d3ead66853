// Where an organisation's object is.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId } from '../platform/ids.ts'
import { objectOpener } from '../platform/open-object.ts'
import type { Organisation } from './organisation.do.ts'

/** The operator's own ledger, for acts that concern no single organisation. */
export const OPERATOR_LEDGER = 'operator'

export type OrganisationAddress = { id: OrganisationId | typeof OPERATOR_LEDGER; jurisdiction: Jurisdiction }

export type OpenOrganisation = (address: OrganisationAddress) => DurableObjectStub<Organisation>

export function organisationOpener(
  namespace: DurableObjectNamespace<Organisation>,
  jurisdictions: boolean,
): OpenOrganisation {
  const open = objectOpener(namespace, jurisdictions)
  return ({ id, jurisdiction }) => open({ name: id, isEuropean: jurisdiction === 'eu' })
}
