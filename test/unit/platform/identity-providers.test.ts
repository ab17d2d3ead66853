// The setting that lists identity providers, and the secrets beside it.
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../src/platform/config.ts'

const provider = {
  id: 'microsoft',
  label: 'Microsoft',
  issuer: 'https://login.example/tenant/v2.0',
  client_id: 'client',
  email_trust: 'entra',
}

const env = (providers: unknown, more: object = {}) => ({
  ENVIRONMENT: 'staging',
  JURISDICTIONS: 'on',
  KEY_PEPPERS: `1:${'0123456789abcdef'.repeat(3)}fedcba9876543210`,
  PUBLIC_ORIGIN: 'https://countersign.example',
  OAUTH_PROVIDERS: typeof providers === 'string' ? providers : JSON.stringify(providers),
  OAUTH_SECRET_MICROSOFT: 'marked-secret',
  ...more,
})

function refused(from: object): string {
  try {
    readConfig(from)
    return ''
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.message
  }
}

it('reads each provider with its secret', () => {
  const found = readConfig(env([provider, { ...provider, id: 'our-own' }], { OAUTH_SECRET_OUR_OWN: 'another' }))
  expect(found.signIn.identityProviders).toMatchObject([
    { id: 'microsoft', clientId: 'client', clientSecret: 'marked-secret', emailTrust: 'entra' },
    { id: 'our-own', clientSecret: 'another' },
  ])
})

it('has none where none is set', () => {
  const { OAUTH_PROVIDERS: _, ...without } = env('')
  expect(readConfig(without).signIn.identityProviders).toEqual([])
})

it.each<[string, unknown]>([
  ['no JSON', '[{'],
  ['no list', provider],
  ['an unknown member', [{ ...provider, scope: 'all' }]],
  ['the name of a password', [{ ...provider, id: 'password' }]],
  ['an id in capitals', [{ ...provider, id: 'Microsoft' }]],
  ['two of one id', [provider, provider]],
  ['eleven', Array.from({ length: 11 }, (_, n) => ({ ...provider, id: `p${n}` }))],
  ['a label of two lines', [{ ...provider, label: 'Micro\r\nsoft' }]],
  ['a blank label', [{ ...provider, label: ' ' }]],
  ['a plain address', [{ ...provider, issuer: 'http://localhost:1' }]],
  ['an address with a query', [{ ...provider, issuer: 'https://login.example/?a=b' }]],
  ['an address with credentials', [{ ...provider, issuer: 'https://a:marked@login.example' }]],
  ['a trust that there is not', [{ ...provider, email_trust: 'always' }]],
  ['no trust', [{ ...provider, email_trust: undefined }]],
  ['the id of a way of ours', [{ ...provider, id: 'passkey' }]],
  ['a second factor by nothing', [{ ...provider, second_factor: { by: 'amr', values: [] } }]],
])('refuses %s by the setting’s name, without its value', (_, providers) => {
  const message = refused(env(providers))
  expect(message).toContain('OAUTH_PROVIDERS')
  expect(message).not.toContain('marked')
})

it.each<[string, object]>([
  ['OAUTH_PROVIDERS[1].email_trust', { email_trust: 'always' }],
  ['OAUTH_PROVIDERS[1].client_id', { client_id: undefined }],
  ['OAUTH_PROVIDERS[1].issuer', { issuer: 'https://login.example/?a=b' }],
  ['OAUTH_PROVIDERS[1].issuer', { issuer: 'http://login.example' }],
])('says where in the list the fault is: %s', (place, fault) => {
  expect(refused(env([provider, { ...provider, id: 'other', ...fault }]))).toContain(place)
})

it.each([undefined, ''])('names the secret that is missing (%j)', (OAUTH_SECRET_MICROSOFT) => {
  expect(refused(env([provider], { OAUTH_SECRET_MICROSOFT }))).toContain('OAUTH_SECRET_MICROSOFT')
})
