// The secrets of second factors are in no log line, refusal or address: right and wrong ones, and where the service fails.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAuthenticator } from '../../../support/soft-authenticator.ts'
import { totpAt } from '../../../support/totp-app.ts'
import { PASSWORD, PERSON, startPeople, type PeopleService } from '../sign-in/people-service.ts'
import { startBrowser } from './people-with-factors.ts'

const DAY = 86_400_000
const NAME = 'A quicksilver marigold'

const lines: string[] = []
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 12) })
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(String(line)))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Every secret, by the name that a failure prints. */
const secrets = new Map<string, string>([
  ['password', PASSWORD],
  ['name of the passkey', NAME],
])

function keep(name: string, secret = ''): string {
  expect(secret.length, name).toBeGreaterThan(5)
  secrets.set(name, secret)
  return secret
}

/** The service, and the refusals that it answered, with where each was sent to. */
function listening(): { people: PeopleService; refusals: string[] } {
  const people = startPeople()
  const refusals: string[] = []
  const send: PeopleService['send'] = async (method, path, sent) => {
    const response = await people.send(method, path, sent)
    if (response.status >= 400) refusals.push(`${response.status} ${path} ${await response.clone().text()}`)
    return response
  }
  return { people: { ...people, send }, refusals }
}

it('no password, code, secret, name, token, cookie or id of a passkey is told', async () => {
  const { people, refusals } = listening()
  const home = startBrowser(people)
  await home.join()
  const authenticator = createAuthenticator()
  const foreign = await home.made(authenticator, { origin: 'https://evil.example' })
  const passkey = await home.made(authenticator)
  keep('challenge of a registration', home.jar.get('__Host-passkey-register'))
  keep('credential id', passkey.rawId)
  for (const [name, sent] of [
    [NAME, foreign],
    [NAME.repeat(50), passkey],
    [NAME, passkey],
    [NAME, passkey],
  ])
    await home.post('/passkeys', { name, passkey: sent })
  const { secret } = await (await home.post('/totp')).json<{ secret: string }>()
  keep('secret', secret)
  const code = (name: string, steps: number) => keep(name, totpAt(secret, Date.now() + steps * 30_000))
  await home.post('/totp/confirm', { code: code('old code', -5) })
  await home.post('/totp/confirm', { code: code('first code', 0) })
  const { codes } = await (await home.post('/recovery-codes')).json<{ codes: string[] }>()
  const recovery = keep('recovery code', codes[0])

  const browser = startBrowser(people)
  await browser.logIn({ password: keep('wrong password', 'a wrong and invented password') })
  await browser.logIn()
  keep('token of a sign-in that waits', browser.jar.get('__Host-sign-in'))
  const unverified = await browser.answered(authenticator, 'second_factor', { isUserVerified: false })
  keep('challenge of a second step', browser.jar.get('__Host-passkey-second-factor'))
  keep('signature', unverified.response.signature)
  for (const body of [
    { passkey: unverified },
    { totp: code('wrong code', 9) },
    { recovery_code: keep('wrong recovery code', 'MARI-GOLD-QUIC-KSIL-VERM-ARIG') },
    { recovery_code: recovery, totp: secret },
    { totp: recovery },
    `{"totp":"${secret}`,
    { recovery_code: recovery },
  ])
    await browser.post('/login/second-factor', body)
  keep('session', browser.jar.get('__Host-session'))
  await home.post('/confirm', { totp: code('right code', 1), password: 'a wrong and invented password' })
  await home.post('/confirm', { totp: code('right code', 1), password: PASSWORD })

  const { id } = await (await home.send('GET', '/me')).json<{ id: string }>()
  const headers = { authorization: `Bearer ${env.OPERATOR_TOKEN}` }
  await people.send('POST', `/../operator/people/${id}/factor-reset`, { headers, body: { reason: 'lost_device' } })
  vi.setSystemTime(Date.now() + 3 * DAY)
  await browser.post('/factor-reset', { email: PERSON.email })
  const token = keep('link of a reset', /reset#f\.(\S+)/.exec(people.mails.at(-1)?.text ?? '')?.[1])
  await browser.post('/factor-reset/confirm', { token, password: 'a wrong and invented password' })

  await browser.logIn()
  const right = await browser.answered(authenticator, 'second_factor')
  for (const table of ['passkeys', 'totp_secrets', 'recovery_codes'])
    await env.DB.exec(`ALTER TABLE ${table} RENAME TO ${table}_gone`)
  for (const body of [{ passkey: right }, { totp: code('last code', 0) }, { recovery_code: codes[1] }])
    await browser.post('/login/second-factor', body)
  await browser.post('/factor-reset/confirm', { token, password: PASSWORD })

  const told = [...lines, ...refusals].join('\n')
  const landmarks = ['passkey_refused', 'user_verification', 'unexpected_error', '/api/auth/factor-reset/confirm']
  expect(landmarks.filter((landmark) => !told.includes(landmark))).toEqual([])
  expect(new Set(refusals.map((refusal) => refusal.slice(0, 3)))).toEqual(new Set(['400', '401', '409', '500']))
  const isTold = (text: string) => new RegExp(`(?<!\\w)${text}(?!\\w)`, 'i').test(told)
  const found = [...secrets].filter(([, text]) => isTold(text) || isTold(text.replaceAll('-', '')))
  expect(found.map(([name]) => name)).toEqual([])
  expect(lines.join('\n')).not.toMatch(/@example\.org|Ann Example|203\.0\.113/)
})
