// Maps each reason why the organisation's object refuses a change of settings to an error.
import { AppError } from '../platform/errors.ts'
import { rangeText, tierPlan } from '../policies/tier.policy.ts'
import type { OrganisationChanged } from './organisations.service.ts'

type Changed = Extract<OrganisationChanged, { outcome: 'changed' }>

/** Throws `invalid_request` if the tier does not allow a setting, and `conflict` if another version is in force. */
export function assertSettingsChanged(change: OrganisationChanged): asserts change is Changed {
  if (change.outcome !== 'changed') throw refusalOf(change)
}

function refusalOf(change: Exclude<OrganisationChanged, Changed>): AppError {
  switch (change.outcome) {
    case 'stale':
      return new AppError(
        'conflict',
        `The settings were changed in the meantime: version ${change.version} is in force. Read them again, and send what you still want changed.`,
        { param: 'if_version' },
      )
    case 'not_custom': {
      const param = LIMITS[change.limit]
      return invalid(
        param,
        `not open to the tier ${change.tier}`,
        `Organisations of the tier ${change.tier} have its own ${param}. Send ${param} as null, or assign another tier.`,
      )
    }
    case 'retention': {
      const { tier, range } = change
      return invalid(
        'retention_days',
        `${rangeText(range)} in the tier ${tier}`,
        `Organisations of the tier ${tier} keep details for ${rangeText(range)} days. Send retention_days as that, or as null for the tier’s ${tierPlan(tier).retentionDays}.`,
      )
    }
    case 'content_retention':
      return invalid(
        'content_logging.retention_days',
        `at most ${change.most}, as retention_days`,
        `Details of calls are kept for ${change.most} days, and content for no longer. Send content_logging with fewer retention_days, or as null, or have details kept for longer.`,
      )
  }
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

const LIMITS = { requestsPerMinute: 'requests_per_minute', requestsPerMonth: 'requests_per_month' } as const
