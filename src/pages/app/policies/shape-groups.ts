// What two rules look for, in the order in which people read it: the shapes of personal identifiers in groups, and wordings of prompt
// injection, which have none.
import type { Shape } from '../../../scanning/identifiers/identifier-shapes.ts'
import { capitalised } from '../../text/reword-text.ts'
import { shapeName } from '../../text/shape-names.ts'

const GROUPS = {
  'Patient and person': [
    'pps_number',
    'nhs_number',
    'chi_number',
    'health_and_care_number',
    'hospital_record_number',
    'date_of_birth',
    'date',
  ],
  'Contact and address': ['phone_number', 'email_address', 'eircode', 'uk_postcode'],
  Money: ['iban', 'payment_card'],
  Secrets: [
    'aqta_key',
    'openai_key',
    'anthropic_key',
    'google_api_key',
    'github_token',
    'slack_token',
    'aws_access_key',
    'stripe_key',
    'json_web_token',
    'private_key',
  ],
} as const satisfies Readonly<Record<string, readonly Shape[]>>

/** Returns the name of a shape or of a wording at the beginning of a line, such as “Date of birth”. */
export const lineName = (id: string): string => capitalised(shapeName(id))

/** Returns the ids group by group. Ids without a group come last, under ''. */
export function groupedShapes(ids: readonly string[]): readonly (readonly [group: string, ids: readonly string[]])[] {
  const grouped = new Set<string>(Object.values(GROUPS).flat())
  const groups = Object.entries(GROUPS).map(([group, own]) => [group, own.filter((id) => ids.includes(id))] as const)
  return [...groups, ['', ids.filter((id) => !grouped.has(id))] as const].filter(([, own]) => own.length > 0)
}
