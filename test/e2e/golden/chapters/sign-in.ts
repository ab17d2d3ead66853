import { expect } from 'vitest'
import type { Caller } from '../../../support/e2e/golden/chapter.ts'
import { PASSWORD, type Script } from '../../../support/e2e/golden/stage.ts'
import { createAuthenticator } from '../../../support/soft-authenticator.ts'
import { totpAt } from '../../../support/totp-app.ts'

/** Accounts, sessions and passwords. */
export const signIn: Script = async ({ stage, send }) => {
  const email = 'ann@sign-in.example'
  const ann = stage.visitor('a visitor')
  const post = (title: string, by: Caller, path: string, body: unknown) =>
    send(title, by, 'POST', `/api/auth${path}`, body)
  await post('sign up', ann, '/signup', {
    email,
    password: PASSWORD,
    name: 'Ann Example',
    organisation: { name: 'Sign-in', enabled_providers: ['openai'], region: 'weur' },
  })
  await post('sign up with a short password', ann, '/signup', {
    email: 'bea@sign-in.example',
    password: 'short',
    name: 'Bea',
  })
  await post('sign up with a common password', ann, '/signup', {
    email: 'bea@sign-in.example',
    password: 'passwordpassword',
    name: 'Bea',
  })
  const link = await stage.mails.tokenFor(email, 'confirm')
  await post('confirm an address with a wrong token', ann, '/verify-email', { token: 'wrong' })
  const confirmed = await post('confirm the address', ann, '/verify-email', { token: link })
  await post('confirm it again', ann, '/verify-email', { token: link })
  const signedUp = stage.signedIn(ann, 'Ann', confirmed)
  expect(confirmed.json).toMatchObject({
    email,
    email_verified: true,
    name: 'Ann Example',
    methods: ['password'],
    erasure: null,
    organisations: [{ name: 'Sign-in', tier: 'free', role: 'owner', tier_request: null, erasure: null }],
    session: { fresh: true },
  })
  expect((await send('who am I', signedUp, 'GET', '/api/auth/me')).json).toEqual(confirmed.json)
  const only = await send('sessions', signedUp, 'GET', '/api/auth/sessions')
  expect(only.json.data).toMatchObject([{ method: 'password', current: true }])
  await send('log out', signedUp, 'POST', '/api/auth/logout')
  await send('log out again', signedUp, 'POST', '/api/auth/logout')
  await send('who am I, signed out', signedUp, 'GET', '/api/auth/me')
  await post('sign in with a wrong password', ann, '/login', { email, password: 'wrong' })
  await post('sign in as nobody', ann, '/login', { email: 'nobody@sign-in.example', password: PASSWORD })
  const first = stage.signedIn(ann, 'Ann', await post('sign in', ann, '/login', { email, password: PASSWORD }))
  const second = stage.signedIn(
    ann,
    'Ann elsewhere',
    await post('sign in elsewhere', ann, '/login', { email, password: PASSWORD }),
  )
  const sessions = await send('two sessions', first, 'GET', '/api/auth/sessions')
  expect(sessions.json.data.map(({ current }) => current)).toEqual([false, true])
  const other = sessions.json.data.find(({ current }) => !current)
  await send('end the other session', first, 'DELETE', `/api/auth/sessions/${other?.id}`)
  await send('end it again', first, 'DELETE', `/api/auth/sessions/${other?.id}`)
  await send('the other session', second, 'GET', '/api/auth/me')
  await post('change the password, with a wrong one', first, '/password', {
    current: 'wrong',
    new: 'another long invented password',
  })
  await post('change the password to a short one', first, '/password', { current: PASSWORD, new: 'short' })
  await post('change the password', first, '/password', { current: PASSWORD, new: 'another long invented password' })
  await send('log out everywhere', first, 'POST', '/api/auth/logout-everywhere')
  await post('ask for a reset', ann, '/password-reset', { email })
  await post('ask for a reset of nobody', ann, '/password-reset', { email: 'nobody@sign-in.example' })
  const reset = await stage.mails.tokenFor(email, 'reset')
  await post('reset with a wrong token', ann, '/password-reset/confirm', { token: 'wrong', password: PASSWORD })
  await post('reset', ann, '/password-reset/confirm', { token: reset, password: PASSWORD })
  await post('reset again', ann, '/password-reset/confirm', { token: reset, password: PASSWORD })
  await secondFactors({ stage, send }, ann, email)
  await send('identity providers', ann, 'GET', '/api/auth/providers')
  await post('sign in by an unknown provider', ann, '/oauth-signin', { provider: 'unknown' })
  await send('come back from a provider that was not asked', ann, 'GET', '/api/auth/oauth/callback?state=x&code=y')
  stage.issuer.answer({ claims: { sub: 'cleo', email: 'cleo@sign-in.example', email_verified: true, name: 'Cleo' } })
  const cleo = stage.visitor('a visitor of the provider')
  await post('confirm a session that is none by a provider', cleo, '/oauth-signin', {
    provider: 'clinic',
    confirm: true,
  })
  const begun = await post('sign in by a provider', cleo, '/oauth-signin', { provider: 'clinic', return_to: '/app' })
  const sentBack = await fetch(begun.json.authorization_url, { redirect: 'manual' })
  const { pathname, search } = new URL(sentBack.headers.get('location') ?? '')
  const back = await send('come back from the provider', stage.signedIn(cleo, 'Cleo', begun), 'GET', pathname + search)
  const known = stage.signedIn(cleo, 'Cleo', back)
  const me = await send('who am I, by a provider', known, 'GET', '/api/auth/me')
  expect(me.json).toMatchObject({ email: 'cleo@sign-in.example', name: 'Cleo', methods: ['clinic'], organisations: [] })
  await post('change a password that there is not', known, '/password', { current: PASSWORD, new: `${PASSWORD}!` })
  await send('another name', known, 'PATCH', '/api/auth/me', { name: 'Cleo Another' })
  await send('a name with a line break', known, 'PATCH', '/api/auth/me', { name: 'Cleo\nAnother' })
  await post('ask for another address', known, '/email', { email: 'another@sign-in.example' })
  await post('ask for one that is none', known, '/email', { email: 'another' })
  const change = await stage.mails.tokenFor('another@sign-in.example', 'app/account')
  await post('confirm another address with a wrong token', known, '/email/confirm', { token: 'wrong' })
  await post('ask for an address that has an account', known, '/email', { email })
  await post('confirm another address', known, '/email/confirm', { token: change })

  const guesser = stage.visitor('a guesser')
  for (let count = 1; count <= 6; count += 1) {
    await post(`guess ${count}`, guesser, '/login', { email: 'guessed@sign-in.example', password: 'wrong' })
  }
}

/** Sets up both kinds of second factor, and signs in and confirms by each. */
async function secondFactors({ stage, send }: Parameters<Script>[0], ann: Caller, email: string): Promise<void> {
  const origin = stage.service.url
  const post = (title: string, by: Caller, path: string, body?: unknown) =>
    send(title, by, 'POST', `/api/auth${path}`, body)
  const logIn = (title: string, by = ann) => post(title, by, '/login', { email, password: PASSWORD })
  const alone = stage.signedIn(ann, 'Ann', await logIn('sign in before a factor'))
  await post('make recovery codes alone', alone, '/recovery-codes')
  await post('confirm by a wrong password', alone, '/confirm', { password: 'wrong' })
  const sure = stage.signedIn(
    alone,
    'Ann',
    await post('confirm by the password', alone, '/confirm', { password: PASSWORD }),
  )
  const toMake = await post('options for a passkey', sure, '/passkeys/options', { purpose: 'register' })
  const making = stage.besides(sure, toMake)
  const laptop = createAuthenticator()
  const foreign = laptop.register(toMake.json.options, 'https://another.example')
  await post('add a passkey of another site', making, '/passkeys', { name: 'Laptop', passkey: foreign })
  const passkey = laptop.register(toMake.json.options, origin)
  const added = await post('add a passkey', making, '/passkeys', { name: 'Laptop', passkey })
  await post('add it again', making, '/passkeys', { name: 'Laptop', passkey })
  await send('rename it', making, 'PATCH', `/api/auth/passkeys/${added.json.id}`, { name: 'Desk' })
  await send('rename another one', making, 'PATCH', '/api/auth/passkeys/psk_none', { name: 'Desk' })
  // One network sends thirty requests of this kind a minute.
  const elsewhere = stage.visitor('Ann elsewhere')
  const moved = { name: 'Ann', headers: { ...making.headers, ...elsewhere.headers } }
  const app = await post('set up an app', moved, '/totp')
  await post('confirm it by a wrong code', moved, '/totp/confirm', { code: '000000' })
  await post('confirm it', moved, '/totp/confirm', { code: totpAt(app.json.secret, Date.now()) })
  await send('the factors', moved, 'GET', '/api/auth/factors')
  const renewed = await post('make new recovery codes', moved, '/recovery-codes')
  await post('confirm by the password alone', moved, '/confirm', { password: PASSWORD })
  await post('a second step without a first', elsewhere, '/login/second-factor', { totp: '000000' })
  await post('options without a first step', elsewhere, '/passkeys/options', { purpose: 'second_factor' })
  const waiting = stage.signedIn(
    elsewhere,
    'Ann, after the first step',
    await logIn('sign in with a factor', elsewhere),
  )
  await post('a wrong code', waiting, '/login/second-factor', { totp: '000000' })
  await post('a recovery code', waiting, '/login/second-factor', { recovery_code: renewed.json.codes[0] })
  const toUse = await post('options to sign in', elsewhere, '/passkeys/options', { purpose: 'sign_in' })
  const using = stage.besides(elsewhere, toUse)
  const copied = signed(() => laptop.assert(toUse.json.options, 'https://another.example'))
  await post('sign in by a passkey of another site', using, '/passkeys/sign-in', { passkey: copied })
  const right = { passkey: signed(() => laptop.assert(toUse.json.options, origin)) }
  const signedIn = await post('sign in by a passkey', using, '/passkeys/sign-in', right)
  const byPasskey = stage.signedIn(elsewhere, 'Ann', signedIn)
  await send('remove a factor that there is not', byPasskey, 'DELETE', '/api/auth/factors/tot_none')
  const remove = (title: string, id: string) => send(title, byPasskey, 'DELETE', `/api/auth/factors/${id}`)
  await send('require a second factor', byPasskey, 'PATCH', '/api/settings', { second_factor: 'any' })
  await remove('remove a factor', app.json.id)
  await remove('remove the last one, which is required', added.json.id)
  await send('require none', byPasskey, 'PATCH', '/api/settings', { second_factor: 'off' })
  await remove('remove the last one', added.json.id)
}

/** A signature of ECDSA has one of several lengths: the transcript tells how long a body is. */
function signed<T extends { response: { signature: string } }>(assert: () => T): T {
  const answer = assert()
  return answer.response.signature.length === 95 ? answer : signed(assert)
}
