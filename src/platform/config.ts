// Reads and checks the Worker's settings from its environment, and lists the platform's regions. An error names the wrong
// setting, never its value. The settings of the model providers are in providers/endpoint-settings.ts.
import * as z from 'zod'
import { DATA_REGIONS, type DataRegion } from './data-region.ts'
import { once } from './once.ts'
import { toDotPath } from 'zod/v4/core'
import { hexToBytes } from '@noble/hashes/utils.js'
import { readSignInConfig, SIGN_IN_SETTINGS, type SignInConfig } from './sign-in-config.ts'

const PepperSchema = once(() =>
  z
    .string()
    .regex(/^[0-9A-Za-z]:[0-9a-f]{64}$/)
    .transform((text) => {
      const hex = text.slice(2)
      return { version: text.charAt(0), hex, bytes: Uint8Array.from(hexToBytes(hex)) }
    }),
)

const count = (least: number, most: number) => z.coerce.number().pipe(z.int().min(least).max(most))

/** The models of both readers where the operator sets no others. The specification names the first pair. */
const DEFAULT_READERS = ['gpt-4.1-mini', 'gemini-3.6-flash'] as const
/** The first pair has no routes that both stay in Europe. */
const DEFAULT_READERS_IN_EUROPE = ['gpt-6-luna', 'claude-haiku-5-5'] as const

const IS_TOKEN = /^[^\s,]{32,512}$/

const splitTokens = (text: string): string[] => text.split(',').map((token) => token.trim())

const OperatorTokensSchema = once(() =>
  z
    .string()
    .transform(splitTokens)
    .pipe(z.array(z.string().regex(IS_TOKEN)).max(2)),
)

const ConfigSchema = once(() =>
  z.object({
    ENVIRONMENT: z.enum(['local', 'staging', 'production']),
    JURISDICTIONS: z.enum(['on', 'off']),
    KEY_PEPPERS: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.tuple([PepperSchema()], PepperSchema()))
      // The second of two peppers of one version would never be used, and its keys would be refused.
      .refine((peppers) => new Set(peppers.map(({ version }) => version)).size === peppers.length),
    OPERATOR_TOKEN: OperatorTokensSchema().optional(),
    READERS_DATA_REGION: z.enum(DATA_REGIONS).default('any'),
    READER_A_MODEL: z.string().min(1).optional(),
    READER_B_MODEL: z.string().min(1).optional(),
    READER_SAMPLES: count(1, 8).default(5),
    READER_TIME_LIMIT_MS: count(50, 25_000).default(12_000),
    READER_GRACE_MS: count(0, 25_000).default(1_500),
    PROVIDER_HEADERS_LIMIT_MS: count(50, 840_000).default(600_000),
    PROVIDER_SILENCE_LIMIT_MS: count(50, 840_000).default(600_000),
    // No call may last 15 minutes, because an unsettled call of that age counts as cut off.
    PROVIDER_TOTAL_LIMIT_MS: count(50, 840_000).default(840_000),
    CALLER_STALL_LIMIT_MS: count(50, 840_000).default(30_000),
    CALLER_KEEP_ALIVE_MS: count(50, 840_000).default(15_000),
    EUR_PER_USD: z
      .string()
      .regex(/^(?=.*[1-9])\d{1,3}(\.\d{1,9})?$/)
      .default('1'),
    EUR_PER_USD_DATE: z.iso.date().optional(),
    DNS_OVER_HTTPS_URL: z.url({ protocol: /^https?$/ }).default('https://cloudflare-dns.com/dns-query'),
    WEBHOOK_LOOPBACK: z.enum(['on', 'off']).default('off'),
    ANCHOR_PERIOD_MS: count(1000, 3_600_000).default(3_600_000),
    READING_HASH_IN_LOG: z.enum(['on', 'off']).default('on'),
    ...SIGN_IN_SETTINGS(),
  }),
)

const AnchorSchema = once(() => ConfigSchema().pick({ ANCHOR_PERIOD_MS: true }))

/**
 * Returns how long an organisation's log may grow until its head is anchored in the public log, in milliseconds. Reads only
 * this setting, because every turn that writes needs it. Throws ConfigError.
 */
export function readAnchorPeriodMs(env: object): number {
  const parsed = AnchorSchema().safeParse(env)
  if (!parsed.success) throw new ConfigError(['ANCHOR_PERIOD_MS'])
  return parsed.data.ANCHOR_PERIOD_MS
}

/** Returns the operator's tokens also where settings are wrong: those of them that can be used. */
export function readOperatorTokens(env: { ENVIRONMENT?: unknown; OPERATOR_TOKEN?: unknown }): readonly string[] {
  const { ENVIRONMENT: environment, OPERATOR_TOKEN: text } = env
  const tokens = typeof text === 'string' ? splitTokens(text) : []
  return tokens.filter((token) => IS_TOKEN.test(token) && (environment === 'local' || !isGuessable(token)))
}

export type Pepper = { version: string; bytes: Uint8Array<ArrayBuffer> }

export type Config = {
  environment: 'local' | 'staging' | 'production'
  jurisdictions: boolean
  peppers: readonly Pepper[]
  /** The first pepper, which new keys are made with. */
  signingPepper: Pepper
  /** The token in use first, then the one it replaces. None: there are no operator's routes. */
  operatorTokens: readonly string[]
  /** `dataRegion`: the widest region that letters may be routed to. */
  readers: {
    dataRegion: DataRegion
    models: readonly [a: string, b: string]
    samples: number
    timeLimitMs: number
    graceMs: number
  }
  /** True if a settlement in the log has the hash of the signed reading. */
  readingHashInLog: boolean
  /**
   * The longest waits of a call in milliseconds: for its provider (headers, next byte, total), for the caller to read.
   * `keepAliveMs`: the time after which the caller of a silent stream gets a sign of life.
   */
  chatLimits: { headersMs: number; silenceMs: number; totalMs: number; stallMs: number; keepAliveMs: number }
  /** Euro for a dollar as an exact decimal, and the day it is from. Without a setting it is 1, which errs upwards. */
  eurPerUsd: { rate: string; date: string | null }
  /** The resolver of webhook host names, if a webhook may be on this very machine, and this service's own host. */
  webhooks: { resolverUrl: string; allowsLoopback: boolean; ownHost: string | null }
  signIn: SignInConfig
}

export class ConfigError extends Error {
  readonly settings: readonly string[]

  /** @param problem what is wrong with settings that are well formed, and what works; as sentences */
  constructor(settings: string[], problem?: string) {
    const names = settings.join(', ')
    const sentence =
      problem === undefined ? `These settings are missing or malformed: ${names}.` : `${names}: ${problem}`
    super(`${sentence} docs/deployment-settings.md lists their forms.`)
    this.name = 'ConfigError'
    this.settings = settings
  }
}

/** Returns the settings. Throws ConfigError if one is missing or malformed. */
export function readConfig(env: object): Config {
  const parsed = ConfigSchema().safeParse(env)
  if (!parsed.success) throw new ConfigError([...new Set(parsed.error.issues.map(({ path }) => toDotPath(path)))])
  const { ENVIRONMENT, JURISDICTIONS, KEY_PEPPERS, OPERATOR_TOKEN } = parsed.data
  if (ENVIRONMENT === 'production' && JURISDICTIONS === 'off') throw new ConfigError(['JURISDICTIONS'])
  if (ENVIRONMENT !== 'local') {
    if (KEY_PEPPERS.some(({ hex }) => isGuessable(hex))) throw new ConfigError(['KEY_PEPPERS'])
    if (OPERATOR_TOKEN?.some(isGuessable)) throw new ConfigError(['OPERATOR_TOKEN'])
  }
  const { DNS_OVER_HTTPS_URL: resolverUrl, WEBHOOK_LOOPBACK: loopback } = parsed.data
  if (!isSafeAddress(resolverUrl, ENVIRONMENT)) throw new ConfigError(['DNS_OVER_HTTPS_URL'])
  if (loopback === 'on' && ENVIRONMENT !== 'local') throw new ConfigError(['WEBHOOK_LOOPBACK'])
  const signIn = readSignInConfig(parsed.data, env, {
    isSafe: (url) => isSafeAddress(url, ENVIRONMENT),
    needsOrigin: ENVIRONMENT !== 'local',
  })
  if ('wrong' in signIn) throw new ConfigError(signIn.wrong)
  const [defaultA, defaultB] = parsed.data.READERS_DATA_REGION === 'any' ? DEFAULT_READERS : DEFAULT_READERS_IN_EUROPE
  return {
    environment: ENVIRONMENT,
    jurisdictions: JURISDICTIONS === 'on',
    peppers: KEY_PEPPERS,
    signingPepper: KEY_PEPPERS[0],
    operatorTokens: OPERATOR_TOKEN ?? [],
    readers: {
      dataRegion: parsed.data.READERS_DATA_REGION,
      models: [parsed.data.READER_A_MODEL ?? defaultA, parsed.data.READER_B_MODEL ?? defaultB],
      samples: parsed.data.READER_SAMPLES,
      timeLimitMs: parsed.data.READER_TIME_LIMIT_MS,
      graceMs: parsed.data.READER_GRACE_MS,
    },
    readingHashInLog: parsed.data.READING_HASH_IN_LOG === 'on',
    chatLimits: {
      headersMs: parsed.data.PROVIDER_HEADERS_LIMIT_MS,
      silenceMs: parsed.data.PROVIDER_SILENCE_LIMIT_MS,
      totalMs: parsed.data.PROVIDER_TOTAL_LIMIT_MS,
      stallMs: parsed.data.CALLER_STALL_LIMIT_MS,
      keepAliveMs: parsed.data.CALLER_KEEP_ALIVE_MS,
    },
    eurPerUsd: { rate: parsed.data.EUR_PER_USD, date: parsed.data.EUR_PER_USD_DATE ?? null },
    webhooks: {
      resolverUrl,
      allowsLoopback: loopback === 'on',
      ownHost: signIn.publicOrigin && new URL(signIn.publicOrigin).hostname,
    },
    signIn,
  }
}

/** The least different characters of a secret. Of 32 random hexadecimal digits, one text in twenty million has fewer. */
const LEAST_CHARACTERS = 8

/** Returns true for a text that was typed, not drawn: it has few different characters, or repeats a shorter text. */
const isGuessable = (secret: string): boolean => new Set(secret).size < LEAST_CHARACTERS || /^(.+)\1+$/s.test(secret)

/** Returns true for https, or for this very machine while developing: text and keys must travel encrypted. */
export const isSafeAddress = (baseUrl: string, environment: Config['environment']): boolean =>
  new URL(baseUrl).protocol === 'https:' || (environment === 'local' && isLoopback(baseUrl))

export const isLoopback = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

/** The location hints of the platform: regions in which it can be asked to create an object. */
export const REGIONS = ['weur', 'eeur', 'wnam', 'enam', 'sam', 'apac', 'oc', 'afr', 'me'] as const
export type Region = (typeof REGIONS)[number]

/** The regions within the European Union. The first is the default. */
export const EUROPEAN_REGIONS = ['weur', 'eeur'] as const satisfies readonly Region[]
