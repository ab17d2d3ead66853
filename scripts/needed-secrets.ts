// Finds the secrets that only a person can get and that an environment's settings need: keys of the readers' providers, of the mail
// service, and the secrets of identity providers. Pure.
import { ConfigError, readConfig, type Config } from '../src/platform/config.ts'
import { LOG_KEY_SETTINGS } from '../src/evidence/records/configured-keys.ts'
import { readLogConfig } from '../src/public-log/public-log-config.ts'
import { readEndpointSettings } from '../src/providers/endpoint-settings.ts'
import { settingPrefix } from '../src/providers/provider-registry.ts'
import { chooseReaderRoutes } from '../src/referral/readers/reader-routes.ts'
import { makeMissing } from './local/dev-vars.ts'

export type NeededSecret = { name: string; why: string }

type Settings = Readonly<Record<string, unknown>>

const WHY: ReadonlyArray<[RegExp, string]> = [
  [/^MAILER_KEY$/, 'MAILER is http'],
  [/^OAUTH_SECRET_\w+$/, 'OAUTH_PROVIDERS has this identity provider'],
]

/**
 * Returns the secrets that `settings` lacks: an environment's variables and the secrets that it has. Throws ConfigError if another
 * setting is missing or malformed, because the service would not start with it.
 */
export function findNeededSecrets(settings: Settings): NeededSecret[] {
  const made = { ...makeMissing(settings), ...settings }
  const needed = lackedBy(made)
  const config = readConfig({ ...made, ...Object.fromEntries(needed.map(({ name }) => [name, 'x'])) })
  const { history, seed } = LOG_KEY_SETTINGS
  const wrong = readLogConfig(settings, config).wrong.filter((name) => name !== history && !name.startsWith(seed))
  if (wrong.length > 0) throw new ConfigError(wrong)
  return [...needed, ...findReaderKeys(config, settings)]
}

function lackedBy(settings: Settings): NeededSecret[] {
  try {
    readConfig(settings)
    return []
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.settings.flatMap((name) => {
      const why = name in settings ? undefined : WHY.find(([names]) => names.test(name))?.[1]
      return why === undefined ? [] : [{ name, why }]
    })
  }
}

function findReaderKeys({ readers, environment }: Config, settings: Settings): NeededSecret[] {
  const endpoints = readEndpointSettings(settings, environment)
  return chooseReaderRoutes(readers, endpoints).flatMap(({ endpoint }, at) =>
    endpoints[endpoint].apiKey === null
      ? [{ name: `${settingPrefix(endpoint)}_API_KEY`, why: `reader ${'AB'.charAt(at)} is ${readers.models[at]}` }]
      : [],
  )
}
