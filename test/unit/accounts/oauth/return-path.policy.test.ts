import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { returnPath } from '../../../../src/accounts/oauth/return-path.policy.ts'

const OWN = 'https://countersign.example'

describe('returnPath', () => {
  it.each([
    '/',
    '/keys',
    '/keys/',
    '/keys/key_0-1.2~3',
    '/a?b=c&d=%20',
    '/a#part',
    '/a?next=https://x.example#y',
    '/apis',
    '/docs/api',
  ])('keeps %s', (path) => expect(returnPath(path)).toBe(path))

  it.each([
    '',
    'keys',
    'https://evil.example',
    'https:evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' /keys',
    '/keys ',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2f/evil.example',
    '/%2F%2Fevil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '/keys\r\nset-cookie: a=b',
    '/a?b=\\c',
    '/a#\u2028',
    '/ключ',
    '/api/settings/export',
    '/api/settings/export?format=csv',
    '/./api/settings/export',
    '/app/../api/settings/export',
    '/app/.././API/settings/export',
    '/api',
    '/v1/models',
    'javascript:alert(1)',
    '?a=b',
    '#a',
    `/${'a'.repeat(512)}`,
  ])('takes %j for /', (path) => expect(returnPath(path)).toBe('/'))

  it('leaves the service whatever it is given', () => {
    const pieces = fc.constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '\t',
      '\n',
      '@',
      ':',
      'https:',
      'evil.example',
      '?',
      '#',
      'a',
      '\0',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
    )
    fc.assert(
      fc.property(text, (wanted) => {
        const path = returnPath(wanted)
        const { origin, pathname, search, hash } = new URL(path, OWN)
        expect(origin).toBe(OWN)
        expect(new URL(pathname + search + hash, OWN).origin).toBe(OWN)
        expect(path).toMatch(/^[\x21-\x7e]+$/)
      }),
    )
  })
})
