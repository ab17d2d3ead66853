// The mail that tells somebody of a further way into their account.
import type { Mail } from '../../platform/mail.ts'

type Joined = {
  to: string
  /** The identity provider, as people know it. */
  label: string
  /** Where the service is. */
  origin: string
  /** Milliseconds. */
  at: number
}

export const identityJoinedMail = ({ to, label, origin, at }: Joined): Mail => ({
  to,
  subject: `You can also sign in with ${label} now`,
  text: `${label} was added to your account at ${origin} as a way to sign in, because ${label} says that this address is yours (${new Date(at).toISOString()}).

If that was you, there is nothing to do. If it was not, somebody else uses your address at ${label} and can sign in again for as long as they do: take it back there, end all sessions here, and tell an owner of your organisation.
`,
})
