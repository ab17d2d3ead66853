// Where somebody goes who has signed in: by the rule that holds for identity providers too.
import { returnPath } from '../../accounts/oauth/return-path.policy.ts'

const DASHBOARD = '/app'

/** @param wanted the member `to` of the address: anybody can have written it into a link */
export function afterSignIn(wanted: string | null): string {
  const path = returnPath(wanted ?? '/')
  return path === '/' ? DASHBOARD : path
}

const KEPT = 'after-sign-in'

/** Over the way to an identity provider, which may refuse: then the address does not say it any more. */
export const keepAfterSignIn = (path: string): void => sessionStorage.setItem(KEPT, path)

export const keptAfterSignIn = (): string | null => sessionStorage.getItem(KEPT)
