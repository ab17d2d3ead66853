// Checks that an organisation's tier includes a route's feature, after the caller is checked and before the body is read.
import type { Access } from '../accounts/access/access-control.ts'
import { type OpenOrganisation, reachOrganisation } from '../organisation/organisation-client.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { hasFeature, tiersWith, type Feature } from '../policies/tier.policy.ts'

export type RequireFeature = (c: AppContext, access: Access) => Promise<void>

/** Returns a check that throws `tier_required`. @param what the feature as its message names it, such as `the audit trail` */
export function requireFeature(open: OpenOrganisation, feature: Feature, what: string): RequireFeature {
  return async (c, { organisation }) => {
    const { tier } = await reachOrganisation(c, async () => open(organisation).settings.read(null))
    if (hasFeature(tier, feature)) return
    throw new AppError(
      'tier_required',
      `The tiers with ${what}: ${tiersWith(feature).join(', ')}. Yours is ${tier}; ask the operator to change it.`,
    )
  }
}
