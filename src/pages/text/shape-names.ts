// The names of the shapes that a scan finds, as pages say them within a sentence.
import type { Shape } from '../../scanning/identifiers/identifier-shapes.ts'
import { withSpaces } from './reword-text.ts'

const NAMES: Readonly<Record<Shape, string>> = {
  pps_number: 'PPS number',
  eircode: 'Eircode',
  date: 'date',
  date_of_birth: 'date of birth',
  phone_number: 'phone number',
  nhs_number: 'NHS number',
  chi_number: 'CHI number',
  health_and_care_number: 'Health and Care number',
  email_address: 'e-mail address',
  uk_postcode: 'UK postcode',
  hospital_record_number: 'hospital record number',
  payment_card: 'payment card',
  iban: 'IBAN',
  aqta_key: 'Countersign key',
  openai_key: 'OpenAI key',
  anthropic_key: 'Anthropic key',
  github_token: 'GitHub token',
  slack_token: 'Slack token',
  aws_access_key: 'AWS access key',
  google_api_key: 'Google API key',
  stripe_key: 'Stripe key',
  json_web_token: 'JSON Web Token',
  private_key: 'private key',
}

const BY_SHAPE: ReadonlyMap<string, string> = new Map(Object.entries(NAMES))

/** Returns “PPS number” or “date of birth”; a name that is not known has its words apart. */
export const shapeName = (shape: string): string => BY_SHAPE.get(shape) ?? withSpaces(shape)
