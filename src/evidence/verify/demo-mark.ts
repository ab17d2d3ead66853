// The mark of invented data, which must be where the organisation's id has it, and nowhere else.
import { isDemoOrganisation } from '../../platform/ids.ts'
import type { JsonObject } from '../../platform/json-object.ts'

/** @param organisationId as it is signed, if it is an id at all */
export const isMarkedAs = ({ demo }: JsonObject, organisationId: unknown): boolean =>
  demo === (typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? true : undefined)

/** What a reader is told beside what was found; nothing of any other organisation. */
export const demoNote = (organisationId: unknown): string =>
  typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? '  of invented data' : ''
