// Reads the settings of sign-in: the service's origin, who may sign up, how mail is sent, and the identity providers.
import * as z from 'zod'
import { once, type Infer } from './once.ts'
import { readJson } from './json.ts'

/** A URL that requests are sent to: without credentials, query or fragment. */
export const HttpUrlSchema = once(() =>
  z.url({ protocol: /^https?$/, abort: true }).refine((text) => {
    const { username, password, search, hash } = new URL(text)
    return [username, password, search, hash].every((part) => part === '')
  }),
)

/**
 * When an issuer's e-mail address is trusted. `verified`: the claim `email_verified` is true. `google`: the same, for an
 * address at gmail.com or of the Workspace that `hd` names. `entra`: the optional claim `xms_edov` is true or "1".
 * `issuer`: always, for an issuer of one tenant that the operator vouches for.
 */
const EMAIL_TRUSTS = ['verified', 'google', 'entra', 'issuer'] as const
export type EmailTrust = (typeof EMAIL_TRUSTS)[number]

const IdentityProviderSchema = once(() =>
  z.strictObject({
    // A session's method is `password`, `passkey` or one of these ids.
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/)
      .refine((id) => !['password', 'passkey'].includes(id)),
    // The label is in subjects of mails and on buttons.
    label: z
      .string()
      .trim()
      .regex(/^\P{C}{1,60}$/u),
    issuer: HttpUrlSchema(),
    client_id: z.string().min(1).max(300),
    email_trust: z.enum(EMAIL_TRUSTS),
    // The claim, and its values, by which the provider vouches for a second factor.
    second_factor: z
      .strictObject({
        by: z.enum(['amr', 'acr']),
        values: z
          .array(z.string().regex(/^[\x21-\x7e]{1,100}$/))
          .min(1)
          .max(10),
      })
      .optional(),
  }),
)

export const SIGN_IN_SETTINGS = once(() => ({
  PUBLIC_ORIGIN: HttpUrlSchema()
    .refine((text) => new URL(text).pathname === '/')
    .optional(),
  SIGNUP: z.enum(['open', 'invited']).default('invited'),
  MAILER: z.enum(['cloudflare', 'http', 'none']).default('none'),
  MAILER_URL: HttpUrlSchema().optional(),
  MAILER_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
  MAIL_FROM: z.email().optional(),
  OAUTH_PROVIDERS: z
    .string()
    .default('[]')
    .transform((text, ctx) => {
      const providers = readJson(text)
      if (providers === undefined) ctx.addIssue({ code: 'custom', message: 'not JSON' })
      return providers
    })
    .pipe(z.array(IdentityProviderSchema()).max(10))
    .refine((providers) => new Set(providers.map(({ id }) => id)).size === providers.length),
}))

const SettingsSchema = once(() => z.object(SIGN_IN_SETTINGS()))

export type MailConfig =
  | { sender: 'none' }
  | { sender: 'cloudflare'; from: string }
  | { sender: 'http'; from: string; url: string; key: string }

export type IdentityProvider = {
  id: string
  label: string
  issuer: string
  clientId: string
  clientSecret: string
  emailTrust: EmailTrust
  /** What the provider's second factor is told by; undefined if the operator trusts it in none. */
  secondFactor?: { by: 'amr' | 'acr'; values: readonly string[] }
}

export type SignInConfig = {
  /** `https://host`, to which cookies, links and origins are bound. Null while developing: any host. */
  publicOrigin: string | null
  signUp: 'open' | 'invited'
  mail: MailConfig
  identityProviders: readonly IdentityProvider[]
}

/** Returns the ids of the identity providers that the operator trusts with a second factor. */
export const vouchingProviders = ({ identityProviders }: SignInConfig): string[] =>
  identityProviders.filter(({ secondFactor }) => secondFactor !== undefined).map(({ id }) => id)

/**
 * @param env has the secrets OAUTH_SECRET_<ID>
 * @returns the settings, or in `wrong` the names of settings that are missing or do not fit together
 */
export function readSignInConfig(
  settings: Infer<typeof SettingsSchema>,
  env: object,
  { isSafe, needsOrigin }: { isSafe: (url: string) => boolean; needsOrigin: boolean },
): SignInConfig | { wrong: string[] } {
  const wrong: string[] = []
  const { PUBLIC_ORIGIN: origin, SIGNUP: signUp, OAUTH_PROVIDERS: providers } = settings
  if (origin === undefined ? needsOrigin : !isSafe(origin)) wrong.push('PUBLIC_ORIGIN')
  const mail = readMail(settings)
  if ('wrong' in mail) wrong.push(...mail.wrong)
  else if (mail.sender === 'http' && !isSafe(mail.url)) wrong.push('MAILER_URL')
  // A new person proves an address by mail.
  else if (mail.sender === 'none' && signUp === 'open') wrong.push('SIGNUP', 'MAILER')
  wrong.push(...providers.flatMap(({ issuer }, at) => (isSafe(issuer) ? [] : [`OAUTH_PROVIDERS[${at}].issuer`])))
  const secrets = new Map<string, unknown>(Object.entries(env))
  const identityProviders = providers.flatMap(
    ({ client_id: clientId, email_trust: emailTrust, second_factor: secondFactor, ...provider }) => {
      const name = secretName(provider.id)
      const secret = secrets.get(name)
      if (typeof secret === 'string' && secret !== '')
        return [{ ...provider, clientId, clientSecret: secret, emailTrust, ...(secondFactor && { secondFactor }) }]
      wrong.push(name)
      return []
    },
  )
  if (wrong.length > 0 || 'wrong' in mail) return { wrong }
  return { publicOrigin: origin === undefined ? null : new URL(origin).origin, signUp, mail, identityProviders }
}

const secretName = (id: string): string => `OAUTH_SECRET_${id.toUpperCase().replaceAll('-', '_')}`

function readMail(settings: Infer<typeof SettingsSchema>): MailConfig | { wrong: string[] } {
  const { MAILER: sender, MAIL_FROM: from, MAILER_URL: url, MAILER_KEY: key } = settings
  if (sender === 'none') return { sender }
  if (from === undefined) return { wrong: ['MAIL_FROM'] }
  if (sender === 'cloudflare') return { sender, from }
  if (url === undefined || key === undefined) return { wrong: ['MAILER_URL', 'MAILER_KEY'] }
  return { sender, from, url, key }
}
