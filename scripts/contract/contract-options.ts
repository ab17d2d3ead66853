// Reads the command line of the contract checks.
import { UsageError, type Given } from '../command-line.ts'

export type ContractOptions = {
  readonly baseUrl: string
  /** Keys that are used in turn: the next one when a key has no call left in its minute. At least one. */
  readonly keys: readonly [string, ...string[]]
  /** A key whose limit may be used up, or null. Without it, the 429 is not checked. */
  readonly limitedKey: string | null
  readonly json: boolean
  /** Parts of group names. Only matching groups run; an empty list runs all. */
  readonly only: readonly string[]
}

export const USAGE = `Usage: npm run contract -- BASE_URL --key KEY [--limited-key KEY] [--only GROUP] [--json]

Checks a deployment of the referral service against its contract, from outside. Nothing is changed there: every call
is a read, and each is counted by the key it is made with.

  BASE_URL            such as http://127.0.0.1:8787 or https://api.example.com
  --key KEY           a sandbox key (vk_test_…); or set CONTRACT_KEY. Given more than once, the keys take turns and
                      the run waits less
  --limited-key KEY   a sandbox key whose limit may be used up: floods it until one 429; or set CONTRACT_LIMITED_KEY
  --only GROUP        run the groups whose name contains GROUP; may be repeated
  --json              print one JSON document instead of the table
  --help              print this

Exit code: 0 when everything agrees, 1 when something differs, 2 when the command line is wrong or nobody answers.`

export const OPTIONS = {
  key: { type: 'string', multiple: true, default: [] as string[] },
  'limited-key': { type: 'string' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
} as const

/** Reads the options. Throws UsageError. */
export function readOptions(
  { values, positionals: [address, ...others] }: Given<typeof OPTIONS>,
  env: Readonly<Record<string, string | undefined>>,
): ContractOptions {
  if (address === undefined || others.length > 0) throw new UsageError('Give one base URL.')
  const baseUrl = normalBaseUrl(address)
  if (baseUrl === null) throw new UsageError('The base URL is not an http or https address.')
  const [key = env['CONTRACT_KEY'] ?? '', ...furtherKeys] = values.key
  const keys = [key, ...furtherKeys] as const
  const limitedKey = values['limited-key'] ?? env['CONTRACT_LIMITED_KEY'] ?? null
  const given = limitedKey === null ? keys : [...keys, limitedKey]
  if (!given.every((each) => each.startsWith('vk_test_'))) {
    throw new UsageError('Give a sandbox key (vk_test_…). A live key would send letters to the readers.')
  }
  if (limitedKey !== null && keys.includes(limitedKey)) {
    throw new UsageError('The limited key must be another key: it is used up.')
  }
  return { baseUrl, keys, limitedKey, json: values.json, only: values.only }
}

function normalBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, origin, pathname } = new URL(text)
  return protocol === 'http:' || protocol === 'https:' ? origin + pathname.replace(/\/+$/, '') : null
}
