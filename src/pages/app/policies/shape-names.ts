// The names of what two rules look for, for people: the shapes of personal identifiers, in groups, and the wordings of prompt injection.
import type { Shape } from '../../../scanning/identifiers/identifier-shapes.ts'
import { capitalised, withSpaces } from '../../text/reword-text.ts'

const GROUPS = ['Patient and person', 'Contact and address', 'Money', 'Secrets'] as const

const SHAPES: Readonly<Record<Shape, readonly [name: string, group: (typeof GROUPS)[number]]>> = {
  pps_number: ['PPS number', 'Patient and person'],
  nhs_number: ['NHS number', 'Patient and person'],
  chi_number: ['CHI number', 'Patient and person'],
  health_and_care_number: ['Health and Care number', 'Patient and person'],
  hospital_record_number: ['Hospital record number', 'Patient and person'],
  date_of_birth: ['Date of birth', 'Patient and person'],
  date: ['Date', 'Patient and person'],
  phone_number: ['Phone number', 'Contact and address'],
  email_address: ['E-mail address', 'Contact and address'],
  eircode: ['Eircode', 'Contact and address'],
  uk_postcode: ['UK postcode', 'Contact and address'],
  iban: ['IBAN', 'Money'],
  payment_card: ['Payment card', 'Money'],
  aqta_key: ['Countersign key', 'Secrets'],
  openai_key: ['OpenAI key', 'Secrets'],
  anthropic_key: ['Anthropic key', 'Secrets'],
  google_api_key: ['Google API key', 'Secrets'],
  github_token: ['GitHub token', 'Secrets'],
  slack_token: ['Slack token', 'Secrets'],
  aws_access_key: ['AWS access key', 'Secrets'],
  stripe_key: ['Stripe key', 'Secrets'],
  json_web_token: ['JSON web token', 'Secrets'],
  private_key: ['Private key', 'Secrets'],
}

const isShape = (id: string): id is Shape => Object.hasOwn(SHAPES, id)

/** Returns the name of a shape or of a wording, such as “PPS number”. */
export const shapeName = (id: string): string => (isShape(id) ? SHAPES[id][0] : capitalised(withSpaces(id)))

/** Returns the ids in the order in which people look for them, group by group. Ids without a group come last, under ''. */
export function groupedShapes(ids: readonly string[]): readonly (readonly [group: string, ids: readonly string[]])[] {
  const groupOf = (id: string): string => (isShape(id) ? SHAPES[id][1] : '')
  const order = Object.keys(SHAPES)
  return [...GROUPS, '']
    .map(
      (group) =>
        [
          group,
          ids.filter((id) => groupOf(id) === group).toSorted((one, other) => order.indexOf(one) - order.indexOf(other)),
        ] as const,
    )
    .filter(([, own]) => own.length > 0)
}
