// What signing up asks of a person, whichever way they come: taken from the part that signs people in.
import type { AppContext } from '../../platform/context.ts'

export type InvitedSignUp = {
  /** Counts a try, before anything is hashed. Throws `rate_limit_exceeded`. */
  assertMayTry(c: AppContext, email: string): Promise<void>
  /** The rule that the password breaks, in words; null for none. */
  passwordFault(password: string, whose: { email: string; name: string }): string | null
  /** A PHC string. */
  hash(password: string): string
  /** The person signs in from where this comes from: what others try elsewhere keeps nobody out there. */
  know(c: AppContext, email: string): Promise<void>
}
