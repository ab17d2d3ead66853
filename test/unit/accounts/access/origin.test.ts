import { describe, expect, it } from 'vitest'
import { isOwnOrigin } from '../../../../src/accounts/access/access-control.ts'

const ownOrigin = 'https://countersign.example'

describe('the origin of a request that changes something', () => {
  it.each([
    ['a page of our own', { origin: ownOrigin, secFetchSite: 'same-origin' }],
    ['a program that says where it means to be', { origin: ownOrigin, secFetchSite: undefined }],
  ])('is taken from %s', (_, sent) => {
    expect(isOwnOrigin({ ownOrigin, ...sent })).toBe(true)
  })

  it.each([
    ['nowhere', undefined, undefined],
    ['a foreign page', 'https://elsewhere.example', 'cross-site'],
    ['a foreign page of an old browser', 'https://elsewhere.example', undefined],
    ['a sibling subdomain', 'https://pages.countersign.example', 'same-site'],
    ['a sibling subdomain that forged the origin', ownOrigin, 'same-site'],
    ['an address bar', ownOrigin, 'none'],
    ['a sandboxed frame', 'null', 'cross-site'],
    ['our host without encryption', 'http://countersign.example', undefined],
    ['our host at another port', 'https://countersign.example:8443', undefined],
    ['a host that begins like ours', 'https://countersign.example.elsewhere.example', undefined],
    ['our host in capitals', 'https://COUNTERSIGN.example', undefined],
    ['our origin with a path', 'https://countersign.example/', undefined],
  ])('is refused from %s', (_, origin, secFetchSite) => {
    expect(isOwnOrigin({ ownOrigin, origin, secFetchSite })).toBe(false)
  })
})
