// Leads people to identity providers.
import type { OAuthRedirectSchema, OAuthSignInSchema } from '../../accounts/oauth/oauth.schema.ts'
import type { Infer } from '../../platform/once.ts'
import { sendRequest, type Problem } from './send-request.ts'

/** The key of the path to return to. After a refusal by the provider, the URL does not have it. */
export const RETURN_PATH_KEY = 'after-sign-in'

/** Leads to an identity provider, to sign in or to confirm the session. */
export async function goToProvider(
  body: Partial<Infer<typeof OAuthSignInSchema>> & { return_to: string },
): Promise<Problem | null> {
  const answer = await sendRequest<Infer<typeof OAuthRedirectSchema>>('POST', '/api/auth/oauth-signin', { body })
  if (answer.outcome === 'refused') return answer.problem
  sessionStorage.setItem(RETURN_PATH_KEY, body.return_to)
  const { protocol, hostname, href } = new URL(answer.body.authorization_url)
  if (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')) location.assign(href)
  return null
}
