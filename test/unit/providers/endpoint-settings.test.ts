import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/platform/config.ts'
import { ENDPOINTS } from '../../../src/providers/provider-registry.ts'
import { readEndpointSettings } from '../../../src/providers/endpoint-settings.ts'

function refusal(env: object, environment: 'local' | 'staging' | 'production'): string {
  try {
    readEndpointSettings(env, environment)
    return 'none'
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.message
  }
}

describe('readEndpointSettings', () => {
  it('takes each endpoint to be at its own address and unused where nothing is set', () => {
    const unset = ENDPOINTS.map(({ id, baseUrl, prefix }) => [id, { baseUrl: baseUrl + prefix, apiKey: null }] as const)
    expect(readEndpointSettings({}, 'production')).toEqual(Object.fromEntries(unset))
  })

  it('gives each provider its own key and address', () => {
    const env = { GOOGLE_API_KEY: 'g', PERPLEXITY_API_KEY: 'p', PERPLEXITY_BASE_URL: 'https://p.example' }
    const { openai, google, perplexity } = readEndpointSettings(env, 'production')
    expect([openai.apiKey, google.apiKey]).toEqual([null, 'g'])
    expect(perplexity).toEqual({ baseUrl: 'https://p.example', apiKey: 'p' })
  })

  it('takes an empty key for none, and a loopback address only where it is local', () => {
    const env = { OPENAI_API_KEY: '', OPENAI_BASE_URL: 'http://127.0.0.1:8788/openai' }
    expect(readEndpointSettings(env, 'local').openai).toEqual({
      apiKey: null,
      baseUrl: 'http://127.0.0.1:8788/openai',
    })
    expect(refusal(env, 'staging')).toContain('OPENAI_BASE_URL')
  })

  it('adds an endpoint’s prefix to its address', () => {
    const env = { BEDROCK_EU_WEST_1_BASE_URL: 'http://localhost:8788/bedrock-eu-west-1/' }
    expect(readEndpointSettings(env, 'local')['bedrock-eu-west-1'].baseUrl).toBe(
      'http://localhost:8788/bedrock-eu-west-1/anthropic',
    )
  })

  it('sends a prompt that must stay in Europe to the provider’s own host, or to this machine', () => {
    const at = (url: string) => refusal({ OPENAI_EU_BASE_URL: url }, 'local')
    expect([at('https://eu.api.openai.com'), at('http://127.0.0.1:8788/openai-eu')]).toEqual(['none', 'none'])
    for (const elsewhere of [
      'https://api.openai.com',
      'https://eu.api.openai.com.evil.example',
      'https://eu.api.openai.com:8443',
      'https://evil.example/eu.api.openai.com',
    ])
      expect(at(elsewhere), elsewhere).toContain(': OPENAI_EU_BASE_URL.')
  })

  it.each([
    ['OPENAI_API_KEY', 'staging', 'secret\nvalue'],
    ['OPENAI_API_KEY', 'staging', 7],
    ['GOOGLE_BASE_URL', 'local', 'http://secret.example'],
    ['GOOGLE_BASE_URL', 'staging', ''],
    ['GOOGLE_BASE_URL', 'staging', 'https://someone:secret@google.example'],
    ['GOOGLE_BASE_URL', 'staging', 'https://google.example?key=secret'],
    ['GOOGLE_BASE_URL', 'staging', 'ftp://google.example'],
  ] as const)('refuses a wrong %s (%s, %j) by name, without its value', (name, environment, value) => {
    const message = refusal({ [name]: value }, environment)
    expect(message).toContain(`: ${name}.`)
    expect(message).not.toContain('secret')
  })

  it('names all that are wrong at once', () => {
    const message = refusal({ OPENAI_BASE_URL: 'nowhere', GOOGLE_API_KEY: 'ü' }, 'staging')
    expect(message).toContain('OPENAI_BASE_URL, GOOGLE_API_KEY')
  })
})
