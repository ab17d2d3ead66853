// Reads the settings <ENDPOINT>_BASE_URL and <ENDPOINT>_API_KEY of each endpoint in the registry.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { ConfigError, isLoopback, isSafeAddress, type Config } from '../platform/config.ts'
import { HttpUrlSchema } from '../platform/sign-in-config.ts'
import { ENDPOINT_IDS, ENDPOINTS, settingPrefix, type Endpoint, type EndpointId } from './provider-registry.ts'

/** `baseUrl` has the endpoint's prefix. `apiKey` null: no key is set, so the endpoint is not used. */
type EndpointSettings = { readonly baseUrl: string; readonly apiKey: string | null }

export type EndpointsSettings = Readonly<Record<EndpointId, EndpointSettings>>

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
export function readEndpointSettings(env: object, environment: Config['environment']): EndpointsSettings {
  const AddressSchema = HttpUrlSchema().refine((url) => isSafeAddress(url, environment))
  const SettingsSchema = z.record(
    z.enum(ENDPOINT_IDS),
    z
      .object({ base_url: AddressSchema, api_key: ApiKeySchema(), prefix: z.string() })
      .transform(({ base_url: address, api_key: apiKey, prefix }) => ({ baseUrl: joinPath(address, prefix), apiKey })),
  )
  const given = new Map<string, unknown>(Object.entries(env))
  const parsed = SettingsSchema.safeParse(
    Object.fromEntries(
      ENDPOINTS.map(({ id, baseUrl, prefix }) => [
        id,
        {
          base_url: given.get(settingName(id, 'base_url')) ?? baseUrl,
          api_key: given.get(settingName(id, 'api_key')),
          prefix,
        },
      ]),
    ),
  )
  const wrong = parsed.success
    ? ENDPOINTS.filter((endpoint) => isElsewhere(endpoint, parsed.data[endpoint.id])).map(({ id }) =>
        settingName(id, 'base_url'),
      )
    : parsed.error.issues.map(({ path: [id, member] }) => settingName(String(id), String(member)))
  if (!parsed.success || wrong.length > 0) throw new ConfigError([...new Set(wrong)])
  return parsed.data
}

/** SECURITY: a prompt that must stay in Europe goes to the provider's own host, or to an emulator on this machine. */
const isElsewhere = (endpoint: Endpoint, { baseUrl }: EndpointSettings): boolean =>
  endpoint.isFixed && !isLoopback(baseUrl) && new URL(baseUrl).host !== new URL(endpoint.baseUrl).host

const joinPath = (address: string, prefix: string): string =>
  prefix === '' ? address : `${address.replace(/\/$/, '')}${prefix}`

const settingName = (id: string, member: string): string => `${settingPrefix(id)}_${member}`.toUpperCase()
