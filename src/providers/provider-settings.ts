// Reads the settings <PROVIDER>_BASE_URL and <PROVIDER>_API_KEY of each provider in the registry.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { ConfigError, isSafeAddress, type Config } from '../platform/config.ts'
import { HttpUrlSchema } from '../platform/sign-in-config.ts'
import { PROVIDER_IDS, PROVIDERS, type ProviderId } from './provider-registry.ts'

/** `apiKey` null: no key is set, so the provider is not used. */
export type ProvidersSettings = Readonly<
  Record<ProviderId, { readonly baseUrl: string; readonly apiKey: string | null }>
>

// Visible ASCII only, because it is sent in a header. Empty is the same as absent.
const ApiKeySchema = once(() =>
  z
    .string()
    .regex(/^[\x21-\x7e]*$/)
    .optional()
    .transform((key) => (key === undefined || key === '' ? null : key)),
)

/**
 * Throws ConfigError, which names the settings that are wrong and never their values.
 * @param env the object that has the settings
 */
export function readProviderSettings(env: object, environment: Config['environment']): ProvidersSettings {
  const BaseUrlSchema = HttpUrlSchema().refine((url) => isSafeAddress(url, environment))
  const SettingsSchema = z.record(
    z.enum(PROVIDER_IDS),
    z
      .object({ base_url: BaseUrlSchema, api_key: ApiKeySchema() })
      .transform(({ base_url: baseUrl, api_key: apiKey }) => ({ baseUrl, apiKey })),
  )
  const given = new Map<string, unknown>(Object.entries(env))
  const parsed = SettingsSchema.safeParse(
    Object.fromEntries(
      PROVIDERS.map(({ id, baseUrl }) => [
        id,
        { base_url: given.get(settingName(id, 'base_url')) ?? baseUrl, api_key: given.get(settingName(id, 'api_key')) },
      ]),
    ),
  )
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path: [id, member] }) => settingName(String(id), String(member)))
  throw new ConfigError([...new Set(wrong)])
}

const settingName = (id: string, member: string): string => `${id}_${member}`.toUpperCase()
