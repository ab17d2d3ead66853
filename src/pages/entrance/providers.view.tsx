// Buttons for the identity providers that the operator has set up: none where there are none.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { IdentityProvidersSchema, OAuthRedirectSchema } from '../../accounts/oauth/oauth.schema.ts'
import { call, type Problem } from '../api/call.ts'
import { useAnswer } from '../api/use-answer.ts'
import { ActButton } from '../parts/act-button.view.tsx'
import { ProblemNotice } from '../parts/problem-notice.view.tsx'
import { Skeleton } from '../parts/skeleton.view.tsx'
import { keepAfterSignIn } from './after-sign-in.ts'

/** @param to where the browser comes back to */
export function Providers({ to }: { to: string }) {
  const [loaded, again] = useAnswer<z.infer<typeof IdentityProvidersSchema>>(
    (signal) => call('GET', '/api/auth/providers', { signal }),
    [],
  )
  const [problem, setProblem] = useState<Problem | null>(null)
  if (loaded.state === 'loading') return <Skeleton lines={2} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  if (loaded.body.data.length === 0) return null

  const begin = async (provider: string): Promise<void> => {
    const asked = { body: { provider, return_to: to } }
    const answer = await call<z.infer<typeof OAuthRedirectSchema>>('POST', '/api/auth/oauth-signin', asked)
    if (answer.outcome === 'refused') return setProblem(answer.problem)
    keepAfterSignIn(to)
    const { protocol, hostname, href } = new URL(answer.body.authorization_url)
    if (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')) location.assign(href)
  }

  return (
    <div class="stack">
      <p class="soft">Or with the account that you have elsewhere:</p>
      <p class="row">
        {loaded.body.data.map(({ id, label }) => (
          <ActButton key={id} act={() => begin(id)}>
            Continue with {label}
          </ActButton>
        ))}
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
    </div>
  )
}
