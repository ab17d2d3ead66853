// Signing in by address and password: on the page for it, and wherever somebody has to do it again.
import type { z } from 'zod'
import type { SignedInSchema } from '../../accounts/sign-in/sign-in.schema.ts'
import { inWords } from '../text/in-words.ts'
import { call, type Problem } from './call.ts'
import { tellTabs } from './tabs.ts'

const WORDS = { invalid_credentials: 'The e-mail address and the password do not belong together.' }

/** Null where somebody has signed in. */
export async function signIn(given: { email: string; password: string }): Promise<Problem | null> {
  const answer = await call<z.infer<typeof SignedInSchema>>('POST', '/api/auth/login', { body: given })
  if (answer.outcome === 'refused') return inWords(answer.problem, WORDS)
  tellTabs(answer.body.user.id)
  return null
}
