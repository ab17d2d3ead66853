// The only function that opens an organisation's object. In production its data stays in its jurisdiction; the local
// runtime does not implement jurisdictions, so there the plain namespace is used.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId } from '../platform/ids.ts'
import type { Organisation } from './organisation.do.ts'

/** The operator's own ledger, for acts that concern no single organisation. */
export const OPERATOR_LEDGER = 'operator'

export type OrganisationAddress = { id: OrganisationId | typeof OPERATOR_LEDGER; jurisdiction: Jurisdiction }

export type OpenOrganisation = (address: OrganisationAddress) => DurableObjectStub<Organisation>

export function organisationOpener(
  namespace: DurableObjectNamespace<Organisation>,
  jurisdictions: boolean,
): OpenOrganisation {
  return ({ id, jurisdiction }) => {
    const scoped = jurisdictions && jurisdiction === 'eu' ? namespace.jurisdiction('eu') : namespace
    return scoped.get(scoped.idFromName(id))
  }
}
