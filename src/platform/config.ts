// The Worker's settings, checked once an isolate: from here on they are typed and complete. A wrong setting names
// itself and never its value.
import { z } from '@hono/zod-openapi'

const PepperSchema = z
  .string()
  .regex(/^[0-9A-Za-z]:[0-9a-f]{64}$/)
  .transform((text) => ({ version: text.charAt(0), bytes: Uint8Array.fromHex(text.slice(2)) }))

const ConfigSchema = z.object({
  ENVIRONMENT: z.enum(['local', 'staging', 'production']),
  JURISDICTIONS: z.enum(['on', 'off']),
  KEY_PEPPERS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.tuple([PepperSchema], PepperSchema)),
  OPERATOR_TOKEN: z.string().min(32).optional(),
})

export type Pepper = { version: string; bytes: Uint8Array<ArrayBuffer> }

export type Config = {
  environment: 'local' | 'staging' | 'production'
  jurisdictions: boolean
  /** Every version of the pepper whose keys are honoured. */
  peppers: readonly Pepper[]
  /** The first of them: it signs new keys. */
  signingPepper: Pepper
  operatorToken: string | null
}

export class ConfigError extends Error {
  constructor(settings: string[]) {
    super(`These settings are missing or malformed: ${settings.join(', ')}. docs/operations.md lists their forms.`)
    this.name = 'ConfigError'
  }
}

/** Throws ConfigError. */
export function readConfig(env: object): Config {
  const parsed = ConfigSchema.safeParse(env)
  if (!parsed.success) throw new ConfigError([...new Set(parsed.error.issues.map(({ path }) => String(path[0])))])
  const { ENVIRONMENT, JURISDICTIONS, KEY_PEPPERS, OPERATOR_TOKEN } = parsed.data
  if (ENVIRONMENT === 'production' && JURISDICTIONS === 'off') throw new ConfigError(['JURISDICTIONS'])
  return {
    environment: ENVIRONMENT,
    jurisdictions: JURISDICTIONS === 'on',
    peppers: KEY_PEPPERS,
    signingPepper: KEY_PEPPERS[0],
    operatorToken: OPERATOR_TOKEN ?? null,
  }
}
