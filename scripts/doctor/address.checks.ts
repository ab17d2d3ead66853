// Judges a deployment by what its address shows to everybody. Each check is a pure function of the facts.
import { fail, pass, unknown, warn, type CheckAnswer } from '../../src/readiness.schema.ts'
import type { AddressFacts } from './ask-address.ts'

const UNREACHED = 'npm run doctor again. If it stays, look at the address, its DNS record and the zone.'
const ZONE = 'Set it in the zone: docs/deploy.md, The zone'
const LEAST_HSTS_SECONDS = 31_536_000
const MOST_SKEW_MS = 30_000

export const ADDRESS_CHECKS = {
  certificate({ certificate }: AddressFacts) {
    if (certificate === null)
      return warn('the address is http: nothing is encrypted', 'Only for a service on this machine.')
    return certificate === 'valid'
      ? pass('valid')
      : fail(certificate, 'every caller', 'Wait until Cloudflare has made it, or look at the zone’s certificates.')
  },

  tls({ certificate, acceptsTls12 }: AddressFacts) {
    if (certificate === null) return pass('not for http')
    if (acceptsTls12 === null) return unknown('no handshake told', UNREACHED)
    return acceptsTls12
      ? fail('1.2 is accepted', 'the promise of TLS 1.3', `Minimum TLS version 1.3. ${ZONE}`)
      : pass('1.2 is refused')
  },

  redirect({ url, certificate, redirect }: AddressFacts) {
    if (certificate === null) return pass('not for http')
    if (redirect === null) return pass('nothing answers by http')
    return redirect.status >= 300 &&
      redirect.status < 400 &&
      redirect.location?.startsWith(`https://${url.host}/`) === true
      ? pass('http leads to https')
      : fail(`http is answered with ${redirect.status}`, 'encryption of the first request', `Always Use HTTPS. ${ZONE}`)
  },

  health({ health }: AddressFacts) {
    if (health === null) return fail('no answer', 'every caller', UNREACHED)
    return health.status === 200
      ? pass('200')
      : fail(
          `${health.status}: ${health.parts.join(', ') || 'no part is named'}`,
          'what needs these parts',
          'docs/check-deployment.md, Health',
        )
  },

  page_headers: ({ page }: AddressFacts) => judgeHeaders(page, /(?:^|;) ?(?:default|script)-src /),

  api_headers: ({ health }: AddressFacts) => judgeHeaders(health?.headers ?? null, /default-src 'none'/),

  clock({ health, askedAt }: AddressFacts) {
    const date = Date.parse(health?.headers.get('date') ?? '')
    if (Number.isNaN(date)) return unknown('the answer has no date', UNREACHED)
    const skew = Math.abs(askedAt - date)
    return skew < MOST_SKEW_MS
      ? pass('within 30 seconds of this machine')
      : warn(`${Math.round(skew / 1000)} seconds from this machine`, 'Set the clock of this machine, and ask again.')
  },

  contract({ contract, health }: AddressFacts) {
    if (health === null) return unknown('no answer', UNREACHED)
    if (contract === null) return warn('not run', 'Add --key with a sandbox key, or run npm run contract.')
    return contract.differing.length === 0
      ? pass(`${contract.checks} quick checks agree`)
      : fail(contract.differing.join('; '), 'what the contract promises', 'npm run contract says what is expected.')
  },
} as const satisfies Record<string, (facts: AddressFacts) => CheckAnswer>

function judgeHeaders(headers: Headers | null, policy: RegExp): CheckAnswer {
  if (headers === null) return unknown('no answer', UNREACHED)
  const age = /max-age=(\d+)/.exec(headers.get('strict-transport-security') ?? '')?.[1]
  const wrong = [
    ...(Number(age) >= LEAST_HSTS_SECONDS ? [] : ['strict-transport-security']),
    ...(policy.test(headers.get('content-security-policy') ?? '') ? [] : ['content-security-policy']),
    ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['x-content-type-options']),
  ]
  return wrong.length === 0
    ? pass('as the service sends them')
    : fail(
        `missing or changed: ${wrong.join(', ')}`,
        'protection in browsers',
        'Look for rules of the zone that change headers.',
      )
}
