// Reads the command line of the contract checks.
import { UsageError, type Given } from '../command-line.ts'

export type ContractOptions = {
  readonly baseUrl: string
  /** The origin that its pages have: another than that of the URL where it is reached by another address. */
  readonly origin: string
  /** Keys that are used in turn: the next one when a key has no call left in its minute. At least one. */
  readonly keys: readonly [string, ...string[]]
  /** A key whose limit may be used up, or null. Without it, the 429 is not checked. */
  readonly limitedKey: string | null
  readonly json: boolean
  /** Parts of group names. Only matching groups run; an empty list runs all. */
  readonly only: readonly string[]
}

export const USAGE = `Usage: npm run contract -- BASE_URL --key KEY [options]

Checks a deployment of the referral service against its contract, with read calls only.

  --key KEY           sandbox key, vk_test_… (default CONTRACT_KEY); more keys make it faster
  --limited-key KEY   another sandbox key, used until its limit (default CONTRACT_LIMITED_KEY)
  --origin ORIGIN     its PUBLIC_ORIGIN, if it is not the base URL's
  --only GROUP        runs only groups whose name contains GROUP; repeatable
  --json              prints the report as JSON

Example:
  npm run contract -- http://127.0.0.1:8787 --key vk_test_…

Exit codes: 0 no difference, 1 a difference, 2 wrong command line or no answer.`

export const OPTIONS = {
  key: { type: 'string', multiple: true, default: [] as string[] },
  'limited-key': { type: 'string' },
  origin: { type: 'string' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
} as const

/** Reads the options. Throws UsageError. */
export function readOptions(
  { values, positionals: [address, ...others] }: Given<typeof OPTIONS>,
  env: Readonly<Record<string, string | undefined>>,
): ContractOptions {
  if (address === undefined || others.length > 0)
    throw new UsageError('Add one base URL, such as http://127.0.0.1:8787.')
  const baseUrl = normalBaseUrl(address)
  if (baseUrl === null) throw new UsageError('The base URL is not an http or https address.')
  const [key = env['CONTRACT_KEY'] ?? '', ...furtherKeys] = values.key
  const keys = [key, ...furtherKeys] as const
  const limitedKey = values['limited-key'] ?? env['CONTRACT_LIMITED_KEY'] ?? null
  const given = limitedKey === null ? keys : [...keys, limitedKey]
  if (!given.every((each) => each.startsWith('vk_test_'))) {
    throw new UsageError('Use a sandbox key (vk_test_…). A live key would send letters to the readers.')
  }
  if (limitedKey !== null && keys.includes(limitedKey)) {
    throw new UsageError('--limited-key needs another key than --key.')
  }
  const { origin } = new URL(normalBaseUrl(values.origin ?? baseUrl) ?? baseUrl)
  return { baseUrl, origin, keys, limitedKey, json: values.json, only: values.only }
}

function normalBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, origin, pathname } = new URL(text)
  return protocol === 'http:' || protocol === 'https:' ? origin + pathname.replace(/\/+$/, '') : null
}
