import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../src/platform/config.ts'

const good = {
  ENVIRONMENT: 'staging',
  JURISDICTIONS: 'on',
  KEY_PEPPERS: `2:${'22'.repeat(32)}, 1:${'11'.repeat(32)}`,
  OPERATOR_TOKEN: 'x'.repeat(32),
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
    expect(readConfig(without).operatorToken).toBeNull()
  })

  it.each([
    ['KEY_PEPPERS', { KEY_PEPPERS: undefined }],
    ['KEY_PEPPERS', { KEY_PEPPERS: '' }],
    ['KEY_PEPPERS', { KEY_PEPPERS: '1:secret' }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: 'short' }],
    ['ENVIRONMENT', { ENVIRONMENT: 'prod' }],
    ['JURISDICTIONS', { JURISDICTIONS: 'off', ENVIRONMENT: 'production' }],
  ])('refuses a wrong %s by name, without its value', (name, wrong) => {
    const message = settingsRefused({ ...good, ...wrong })
    expect(message).toContain(name)
    expect(message).not.toContain('secret')
    expect(message).not.toContain('prod')
  })
})
