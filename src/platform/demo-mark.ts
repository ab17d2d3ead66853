// What an answer about an organisation of invented data says of that, and no other answer. The header is set for every answer
// (request.middleware.ts); this is for what outlives it.
import { z } from '@hono/zod-openapi'
import { isDemoOrganisation, type OrganisationId } from './ids.ts'

export const demoMember = {
  demo: z.literal(true).optional().openapi({
    description: 'Where all of the organisation’s data is invented, and in no other answer.',
  }),
}

export const demoMark = (id: OrganisationId): { demo?: true } => (isDemoOrganisation(id) ? { demo: true } : {})

/** Of a file that is downloaded: in a table nothing else would say so. */
export const demoFileName = (id: OrganisationId, name: string): string =>
  isDemoOrganisation(id) ? `invented-data-${name}` : name
