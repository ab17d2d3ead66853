// Maps each reason why the organisation's object refuses a change of settings to an error.
import { SIX_MONTHS_DAYS } from '../policies/log-retention.policy.ts'
import { AppError } from '../platform/errors.ts'
import { MOST_GRACE_DAYS } from '../policies/second-factor.policy.ts'
import { rangeText, tierPlan } from '../policies/tier.policy.ts'
import type { OrganisationChanged } from './organisations.service.ts'

type Changed = Extract<OrganisationChanged, { outcome: 'changed' }>

/** Throws `invalid_request` if the tier does not allow a setting, and `conflict` if another version is in force. */
export function assertSettingsChanged(change: OrganisationChanged): asserts change is Changed {
  if (change.outcome !== 'changed') throw settingsError(change)
}

export function settingsError(change: Exclude<OrganisationChanged, Changed>): AppError {
  switch (change.outcome) {
    case 'stale':
      return new AppError(
        'conflict',
        `The settings were changed in the meantime: version ${change.version} is in force. Read them again, then send your change.`,
        { param: 'if_version' },
      )
    case 'not_custom': {
      const param = LIMIT_PARAMS[change.limit]
      return invalid(
        param,
        `not open to the tier ${change.tier}`,
        `The tier ${change.tier} sets ${param}, so an organisation cannot. Send ${param} as null, or assign another tier.`,
      )
    }
    case 'retention': {
      const { tier, range } = change
      return invalid(
        'retention_days',
        `${rangeText(range)} in the tier ${tier}`,
        `The tier ${tier} allows ${rangeText(range)} days. Send retention_days in that range, or null for the default of ${tierPlan(tier).retentionDays}.`,
      )
    }
    case 'content_retention':
      return invalid(
        'content_logging.retention_days',
        `at most ${change.most}, as retention_days`,
        `Details of calls are stored for ${change.most} days, so content cannot be stored for longer. Send a lower content_logging.retention_days, or raise retention_days.`,
      )
    case 'second_factor_from':
      return invalid(
        'second_factor_from',
        `at most ${MOST_GRACE_DAYS} days ahead`,
        `The second factor cannot be required from so late. Send a time within ${MOST_GRACE_DAYS} days.`,
      )
    case 'high_risk_retention':
      return invalid(
        'retention_days',
        `at least ${change.least} with high-risk use cases`,
        `The policy declares high-risk use cases, whose logs AI Act 19(1) and 26(6) want kept for six months (${SIX_MONTHS_DAYS} days${change.least < SIX_MONTHS_DAYS ? ', which this tier cannot' : ''}). Send retention_days of at least ${change.least}, or take high_risk_use_cases out of the policy.`,
      )
  }
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

const LIMIT_PARAMS = { requestsPerMinute: 'requests_per_minute', requestsPerMonth: 'requests_per_month' } as const
