import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../src/platform/config.ts'

/** A pepper that nobody would take for typed. */
const pepper = (digit: string): string => `${digit}0123456789abcdef`.repeat(4).slice(0, 64)

const good = {
  ENVIRONMENT: 'staging',
  JURISDICTIONS: 'on',
  KEY_PEPPERS: `2:${pepper('b')}, 1:${pepper('a')}`,
  OPERATOR_TOKEN: 'a-token-of-32-characters-to-test',
  PUBLIC_ORIGIN: 'https://countersign.example',
}

function settingsRefused(env: object): string {
  try {
    readConfig(env)
    return 'none'
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.message
  }
}

describe('readConfig', () => {
  it('reads the peppers in order: the first signs', () => {
    const config = readConfig(good)
    expect(config.signingPepper.version).toBe('2')
    expect(config.peppers.map(({ version }) => version)).toEqual(['2', '1'])
  })

  it('leaves the operator’s routes out where there is no token', () => {
    const { OPERATOR_TOKEN: _, ...without } = good
    expect(readConfig(without).operatorTokens).toEqual([])
  })

  it('reads a new operator’s token before the one that it replaces', () => {
    const tokens = ['b-token-of-32-characters-to-test', good.OPERATOR_TOKEN]
    expect(readConfig({ ...good, OPERATOR_TOKEN: tokens.join(',') }).operatorTokens).toEqual(tokens)
  })

  it('accepts secrets on this machine that a deployment may not have', () => {
    const local = { ...good, ENVIRONMENT: 'local', KEY_PEPPERS: `1:${'0'.repeat(64)}`, OPERATOR_TOKEN: 'a'.repeat(32) }
    expect(settingsRefused(local)).toBe('none')
  })

  it('has the readers of the contract unless told otherwise', () => {
    const models = ['gpt-4.1-mini', 'gemini-3.6-flash']
    const defaults = { dataRegion: 'any', models, samples: 5, timeLimitMs: 12_000, graceMs: 1_500 }
    expect(readConfig(good).readers).toEqual(defaults)
  })

  it.each(['eu', 'eea_ch'])('has other readers inside %s, unless a model is set', (region) => {
    const within = { ...good, READERS_DATA_REGION: region }
    expect(readConfig(within).readers.models).toEqual(['gpt-6-luna', 'claude-haiku-5-5'])
    const set = readConfig({ ...within, READER_B_MODEL: 'claude-sonnet-5' })
    expect(set.readers.models).toEqual(['gpt-6-luna', 'claude-sonnet-5'])
  })

  it.each([
    ['KEY_PEPPERS', { KEY_PEPPERS: undefined }],
    ['KEY_PEPPERS', { KEY_PEPPERS: '' }],
    ['KEY_PEPPERS', { KEY_PEPPERS: '1:secret' }],
    ['KEY_PEPPERS', { KEY_PEPPERS: `1:${'11'.repeat(32)},1:${'22'.repeat(32)}` }],
    ['KEY_PEPPERS', { KEY_PEPPERS: `1:${'0'.repeat(64)}` }],
    ['KEY_PEPPERS', { KEY_PEPPERS: `2:${pepper('b')},1:${'0123456789abcdef'.repeat(4)}` }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: 'short' }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: 'a'.repeat(32) }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: 'change-me-change-me-change-me-change-me-' }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: `${good.OPERATOR_TOKEN},` }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: `${good.OPERATOR_TOKEN} ${good.OPERATOR_TOKEN}` }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: `${good.OPERATOR_TOKEN},${'a'.repeat(32)}` }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: ['b', 'c', 'd'].map((each) => each + good.OPERATOR_TOKEN).join(',') }],
    ['ENVIRONMENT', { ENVIRONMENT: 'prod' }],
    ['JURISDICTIONS', { JURISDICTIONS: 'off', ENVIRONMENT: 'production' }],
    ['PUBLIC_ORIGIN', { PUBLIC_ORIGIN: 'no address' }],
    ['READERS_DATA_REGION', { READERS_DATA_REGION: 'EU' }],
    ['READER_SAMPLES', { READER_SAMPLES: '0' }],
    ['READER_TIME_LIMIT_MS', { READER_TIME_LIMIT_MS: '60000' }],
    ['READER_GRACE_MS', { READER_GRACE_MS: '-1' }],
    ['READER_GRACE_MS', { READER_GRACE_MS: '1.5' }],
    ['ANCHOR_PERIOD_MS', { ANCHOR_PERIOD_MS: '999' }],
    ['ANCHOR_PERIOD_MS', { ANCHOR_PERIOD_MS: '3600001' }],
    ['EUR_PER_USD', { EUR_PER_USD: '0.00' }],
    ['EUR_PER_USD', { EUR_PER_USD: '0,9' }],
    ['EUR_PER_USD_DATE', { EUR_PER_USD_DATE: '20.11.2026' }],
    ['DNS_OVER_HTTPS_URL', { DNS_OVER_HTTPS_URL: 'no address' }],
    ['DNS_OVER_HTTPS_URL', { DNS_OVER_HTTPS_URL: 'http://resolver.example/' }],
    ['WEBHOOK_LOOPBACK', { WEBHOOK_LOOPBACK: 'on', ENVIRONMENT: 'staging', PUBLIC_ORIGIN: 'https://a.example' }],
  ])('refuses a wrong %s by name, without its value', (name, wrong) => {
    const message = settingsRefused({ ...good, ...wrong })
    expect(message).toContain(name)
    expect(message).not.toContain('secret')
    expect(message).not.toContain('prod')
  })
})
