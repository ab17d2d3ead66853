// Where somebody goes who has signed in: by the rule that holds for identity providers too.
import { returnPath } from '../../accounts/oauth/return-path.policy.ts'

const DASHBOARD = '/app'

/** @param wanted the member `to` of the address: anybody can have written it into a link */
export function afterSignIn(wanted: string | null): string {
  const path = returnPath(wanted ?? '/')
  return path === '/' ? DASHBOARD : path
}
