// What the operator is answered where an organisation or a key cannot be as it was asked for.
import type { NewKeyFault } from '../../keys/new-key.policy.ts'
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
  if (issued.outcome !== 'created') throw keyError(issued.reason)
}

function keyError(reason: NewKeyFault): AppError {
  switch (reason.fault) {
    case 'expired':
      return invalid('expires_at', 'in the future', 'The key would have expired already. Send a time that is to come.')
    case 'limit_too_high': {
      const param = LIMITS[reason.limit]
      const { most } = reason
      return invalid(
        param,
        `at most ${most}`,
        `A key’s own ${param} cannot be above what its plan gives: ${most}. Send a lower one, or none.`,
      )
    }
  }
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

const LIMITS = {
  requestsPerMinute: 'requests_per_minute',
  requestsPerMonth: 'requests_per_month',
  requestsPerDay: 'requests_per_day',
} as const
