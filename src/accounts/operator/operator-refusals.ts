// What the operator is answered where an organisation or a key cannot be as it was asked for.
import { newKeyError } from '../../keys/new-key-error.ts'
import { AppError } from '../../platform/errors.ts'
import type { OrganisationChanged } from '../organisations.service.ts'
import type { KeyIssued } from './operator.service.ts'

type Issued = Extract<KeyIssued, { outcome: 'created' }>
type Changed = Extract<OrganisationChanged, { outcome: 'changed' }>

/** Throws `invalid_request` where the tier does not let a limit be set. */
export function assertChanged(change: OrganisationChanged): asserts change is Changed {
  if (change.outcome === 'changed') return
  const param = LIMITS[change.limit]
  throw invalid(
    param,
    `not open to the tier ${change.tier}`,
    `Organisations of the tier ${change.tier} have its own ${param}. Send ${param} as null, or assign another tier.`,
  )
}

/** Throws `invalid_request` where the key would be over already, or its limits above its plan's. */
export function assertIssued(issued: KeyIssued): asserts issued is Issued {
  if (issued.outcome !== 'created') throw newKeyError(issued.reason)
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

const LIMITS = {
  requestsPerMinute: 'requests_per_minute',
  requestsPerMonth: 'requests_per_month',
} as const
