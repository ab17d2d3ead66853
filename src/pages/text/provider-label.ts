// The names that people know providers by.
import PROVIDER_LABELS from 'virtual:provider-labels'
import { ownMember } from '../../platform/json.ts'

/** Returns the id of a provider that is not known here. */
export const providerLabel = (id: string): string => ownMember(PROVIDER_LABELS, id) ?? id
