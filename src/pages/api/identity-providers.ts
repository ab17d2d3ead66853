// Leads people to identity providers.
import type { OAuthRedirectSchema, OAuthSignInSchema } from '../../accounts/oauth/oauth.schema.ts'
import type { Infer } from '../../platform/once.ts'
import { sendRequest, type Problem } from './send-request.ts'

/** Leads to an identity provider, to sign in or to confirm the session. */
export async function goToProvider(body: Partial<Infer<typeof OAuthSignInSchema>>): Promise<Problem | null> {
  const answer = await sendRequest<Infer<typeof OAuthRedirectSchema>>('POST', '/api/auth/oauth-signin', { body })
  if (answer.outcome === 'refused') return answer.problem
  const { protocol, hostname, href } = new URL(answer.body.authorization_url)
  if (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')) location.assign(href)
  return null
}
