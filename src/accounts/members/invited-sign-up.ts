// The parts of signing up that accepting an invitation shares with it.
import type { AppContext } from '../../platform/context.ts'

export type InvitedSignUp = {
  /** Counts a try, before anything is hashed. Throws `rate_limit_exceeded`. */
  assertMayTry(c: AppContext, email: string): Promise<void>
  /** The rule that the password breaks, in words; null for none. */
  passwordFault(password: string, whose: { email: string; name: string }): string | null
  /** A PHC string. */
  hash(password: string): string
  /** Remembers this network for the person: failed tries from other networks do not lock it out. */
  know(c: AppContext, email: string): Promise<void>
}
