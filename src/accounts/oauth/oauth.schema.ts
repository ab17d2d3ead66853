// Request and response shapes of signing in by an identity provider.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { listSchema } from '../../platform/pagination.schema.ts'

export const OAuthSignInSchema = once(() =>
  z
    .strictObject({
      provider: z
        .string()
        .min(1)
        .max(100)
        .meta({ example: 'microsoft', description: 'An id of GET /api/auth/providers.' }),
      return_to: z.string().max(2_000).default('/').meta({
        example: '/',
        description:
          'The page of this service to come back to, with its query and fragment. Anything but a path of plain characters, and any path of `/api` or `/v1`, is taken for /.',
      }),
      confirm: z.boolean().default(false).meta({
        description:
          'True: your session is confirmed, and stays. Only for who has no second factor here; `max_age=300` asks the provider for a new proof.',
      }),
    })
    .meta({ id: 'OAuthSignIn' }),
)

export const OAuthRedirectSchema = once(() =>
  z
    .strictObject({
      object: z.literal('oauth_redirect'),
      provider: z.string().meta({ example: 'microsoft' }),
      authorization_url: z.url().meta({ description: 'Send the browser there, within ten minutes.' }),
    })
    .meta({ id: 'OAuthRedirect' }),
)

export const IdentityProvidersSchema = once(() =>
  listSchema(
    z
      .strictObject({
        id: z.string().meta({ example: 'microsoft' }),
        object: z.literal('identity_provider'),
        label: z.string().meta({ example: 'Microsoft', description: 'What people know it by.' }),
      })
      .meta({ id: 'IdentityProvider' }),
  ),
)

/** The query that a provider sends back. Other members are ignored. @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 */
export const CallbackQuerySchema = once(() =>
  z.object({
    state: z.string().optional(),
    code: z.string().optional(),
    iss: z.string().optional(),
    error: z.string().optional(),
  }),
)
