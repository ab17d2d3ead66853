// How people get in: signing up, confirming, signing in, a new password.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSignInLink } from '../../scripts/local/servers/sign-in-link.ts'
import { refuseFirst, signIn } from '../support/browser/acts.ts'
import { origin, ownerOn, pageOf } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { mailedLink, mailsTo, newEmail, newPerson } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const PASSWORD = 'a wet morning in late november'

const pathOf = (page: Page): string => page.url().slice(origin.length)

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel('Your name').fill('Áine Ní Bhriain')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign up' }).click()
}

const owner = (): Person => ownerOn('pro')

describe('signing up', () => {
  it('leads by the mailed link to an organisation of one’s own', async () => {
    const page = await pageOf(null)
    const email = newEmail()
    await signUp(page, email)
    await page.getByRole('heading', { name: 'Look into your mail', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Back to the form' }).click()
    await expect.poll(() => page.getByLabel('Your name').and(page.locator(':focus')).count()).toBe(1)

    await page.goto(await mailedLink(email, 'confirm'))
    await expect.poll(() => pathOf(page)).toBe('/confirm')
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()

    await page.waitForURL('**/app/organisation')
    const hostile = '<img src=x onerror=alert(1)>'
    await page.getByLabel('Name', { exact: true }).fill(hostile)
    await page.getByRole('checkbox', { name: /^Anthropic/ }).check()
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.waitForURL('**/app?org=org_*')
    await page.getByText(hostile).first().waitFor()
    await page.goto('/app/account')
    await page.getByRole('link', { name: hostile }).waitFor()
    await expect.poll(() => page.locator('main img').count()).toBe(0)
  })

  it('says the same for an address that has an account, and mails to that what is so', async () => {
    const page = await pageOf(null)
    const { email } = owner()
    await signUp(page, email)
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    const known = await page.locator('#island').innerText()
    const unknown = newEmail()
    await signUp(page, unknown)
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    await expect.poll(() => page.locator('#island').innerText()).toBe(known.replace(email, unknown))
    const subjectsTo = async (): Promise<string> => (await mailsTo(email)).map(({ text }) => text).join('\n')
    await expect.poll(subjectsTo).toContain('It already has one, and nothing was changed')
  })

  it('counts a password while it is typed, and sends none that a rule is against', async () => {
    const page = await pageOf(null)
    let sent = 0
    page.on('request', (request) => (sent += Number(request.url().endsWith('/api/auth/signup'))))
    await page.goto('/sign-up')
    await page.getByLabel('Your name').fill('Áine')
    await page.getByLabel('E-mail address').fill(newEmail())
    const password = page.getByLabel('Password', { exact: true })
    for (const [typed, said] of [
      ['too short', '9 of 15 characters'],
      ['countersign is long enough', 'without the name of the service'],
      ['what ÁINE has thought of', 'without your name'],
      ['Correct horse battery staple', 'Use four random words, or let your browser make one.'],
    ] as const) {
      await password.fill(typed)
      await page.getByText(said).first().waitFor()
      await page.getByRole('button', { name: 'Sign up' }).click()
    }
    await page.getByRole('status').getByText('among the most used ones').waitFor()
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true')
    expect(sent).toBe(0)
    await password.fill(PASSWORD)
    await page.getByText('30 characters: long enough').waitFor()
  })

  it('says at each field what was not taken, the first one first, and keeps what was typed', async () => {
    const page = await pageOf(null, { provoked: refusedWith(400) })
    await page.goto('/sign-up')
    const [name, email] = [page.getByLabel('Your name'), page.getByLabel('E-mail address')]
    const password = page.getByLabel('Password', { exact: true })
    await name.fill('gnp\u202Eexe')
    await email.fill('aine@')
    await password.fill('too short')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Give an address such as').waitFor()
    await page.getByText('A rule is not met: at least 15 characters.').first().waitFor()
    await expect.poll(() => email.and(page.locator(':focus')).count()).toBe(1)
    await email.fill(newEmail())
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('without zero-width characters').waitFor()
    await expect.poll(() => name.and(page.locator(':focus')).getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => password.inputValue()).toBe(PASSWORD)
  })

  it('is told calmly to be by invitation, where it is', async () => {
    const page = await pageOf(null, { provoked: refusedWith(403) })
    const error = { code: 'role_required', message: 'Sign-up is by invitation here.', request_id: 'req_1' }
    await page.route('**/api/auth/signup', (route) => route.fulfill({ status: 403, json: { error } }))
    await signUp(page, newEmail())
    await page.getByRole('status').getByText('People come by invitation here').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })
})

describe('a form with a password', () => {
  it.each([
    ['/sign-in', ['username webauthn', 'current-password']],
    ['/sign-up', ['name', 'username', 'new-password']],
    [`/reset#${'e'.repeat(43)}`, ['new-password']],
    [`/reset#f.${'e'.repeat(43)}`, ['current-password']],
  ])('tells a password manager what is what, and shows the password to who asks: %s', async (address, fields) => {
    const page = await pageOf(null)
    await page.goto(address)
    await page.locator('#island form').first().waitFor()
    const inputs = await page.locator('#island form input').all()
    await expect.poll(() => Promise.all(inputs.map((input) => input.getAttribute('autocomplete')))).toEqual(fields)
    const password = page.getByLabel(/^(New p|P)assword$/)
    await password.fill(PASSWORD)
    await expect.poll(() => password.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect.poll(() => password.getAttribute('type')).toBe('text')
    await expect.poll(() => password.inputValue()).toBe(PASSWORD)
    await page.getByRole('button', { name: 'Hide' }).click()
    await expect.poll(() => password.getAttribute('type')).toBe('password')
  })
})

describe('beside the form', () => {
  it('is an invented record without a seal, because nothing was checked, and no more than the form on a phone', async () => {
    const page = await pageOf(null)
    await page.goto('/sign-in')
    const record = page.getByRole('complementary').getByRole('region', { name: 'Signed record' })
    await record.getByText('An invented example').waitFor()
    await record.getByText('Not checked here.').waitFor()
    await expect.poll(() => page.locator('.seal').count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    await record.waitFor({ state: 'hidden' })
  })

  it('are the steps that follow signing up', async () => {
    const page = await pageOf(null)
    await page.goto('/sign-up')
    const steps = page.getByRole('complementary').getByRole('listitem')
    await expect.poll(() => steps.getByRole('heading').allInnerTexts()).toHaveLength(4)
  })
})

describe('a mailed link', () => {
  it('is used by a button, and stands in no address, history or storage', async () => {
    const page = await pageOf(null)
    const token = `unused-${'b'.repeat(36)}`
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' || request.url().includes(token)) sent.push(request.url())
    })
    for (const path of ['/confirm', '/reset', '/invite']) {
      await page.goto('/tiers')
      await page.goto(`${path}#${token}`)
      await page.locator('#island form').waitFor()
      expect(pathOf(page)).toBe(path)
      // Back and forth: what the history has of it.
      await page.goBack()
      await page.goForward()
      expect(pathOf(page)).toBe(path)
      const kept = 'JSON.stringify([localStorage, sessionStorage, history.state, document.referrer])'
      await expect.poll(() => page.evaluate(kept)).not.toContain(token)
    }
    expect(sent).toEqual([])
  })

  it('that is used up says so, and what to do', async () => {
    const page = await pageOf(null, { provoked: refusedWith(400) })
    await page.goto(`/confirm#${'c'.repeat(43)}`)
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    await page.getByRole('alert').getByText('The link was used already').waitFor()
    await page.goto(`/confirm`)
    await page.getByText('Open this page by the link in the mail').waitFor()
    // Another link in the same tab.
    await page.goto(`/confirm#${'d'.repeat(43)}`)
    await page.getByRole('button', { name: 'Confirm and sign in' }).waitFor()
    await expect.poll(() => pathOf(page)).toBe('/confirm')
  })
})

/** It is of another origin, and no page of ours. */
const ITS_PAGE = /^request: http:\/\/localhost:/

describe('signing in', () => {
  it('says that an answer was none, and lets the form be sent again', async () => {
    const page = await pageOf(null)
    const cutOff = { contentType: 'application/json', body: '{"object":"session","user":{"id"' }
    await page.route('**/api/auth/login', (route) => route.fulfill(cutOff), { times: 1 })
    await page.goto('/sign-in')
    await signIn(page, owner())
    await page.getByRole('alert').getByText('did not come whole').waitFor()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${origin}/app`)
  })

  it('begins in the field of the address, so that who types need not point', async () => {
    const page = await pageOf(null)
    await page.goto('/sign-in')
    await page.getByRole('textbox', { name: 'E-mail address' }).and(page.locator(':focus')).waitFor()
  })

  it('takes the address in capitals and with blanks around it', async () => {
    const page = await pageOf(null)
    await page.goto('/sign-in')
    await signIn(page, { ...owner(), email: `  ${owner().email.toUpperCase()} ` })
    await page.waitForURL(`${origin}/app`)
  })

  it('refuses a wrong password without saying which of the two is wrong, and keeps what was typed', async () => {
    const page = await pageOf(null, { provoked: refusedWith(401) })
    await page.goto('/sign-in')
    await signIn(page, { email: owner().email, password: 'not the password' })
    await page.getByRole('alert').getByText('Wrong e-mail address or password.').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).not.toContain('/api/')
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(owner().email)
  })

  it('goes by the password too where the providers cannot be listed', async () => {
    const page = await pageOf(null)
    await page.route('**/api/auth/providers', (route) => route.abort())
    await page.goto('/sign-in')
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await signIn(page, owner())
    await page.waitForURL(`${origin}/app`)
  })

  it('leads back to where somebody wanted to go', async () => {
    const page = await pageOf(null)
    await page.goto('/app/members?org=org_1#people')
    await page.waitForURL('**/sign-in?to=*')
    await signIn(page, owner())
    await expect.poll(() => pathOf(page)).toBe('/app/members?org=org_1#people')
    await expect.poll(() => page.evaluate('document.cookie')).toBe('')
  })

  it('leads to no address that is not of the service', async () => {
    const page = await pageOf(owner())
    const signedIn = { object: 'session', user: { id: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' } }
    await page.route('**/api/auth/login', (route) => route.fulfill({ json: signedIn }))
    await page.route('**/app', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>The dashboard</title>' }),
    )
    const wanted = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/api/settings/export?format=json',
    ]
    for (const to of wanted) {
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`)
      await signIn(page, owner())
      await page.waitForURL('**/app')
      expect(page.url()).toBe(`${origin}/app`)
    }
  })

  it('begins at an identity provider, and follows no address that is none', async () => {
    const page = await pageOf(null)
    const asked: unknown[] = []
    await page.route('**/api/auth/oauth-signin', (route) => {
      asked.push(route.request().postDataJSON())
      return route.fulfill({
        json: { object: 'oauth_redirect', provider: 'local', authorization_url: 'javascript:alert(1)' },
      })
    })
    await page.goto('/sign-in?to=/app/keys')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await expect.poll(() => asked).toEqual([{ provider: 'local', return_to: '/app/keys' }])
    expect(pathOf(page)).toBe('/sign-in?to=/app/keys')
  })

  it.each([
    ['expired', 'was not finished'],
    ['refused', 'Ask an owner of your organisation for an invitation'],
    ['email_not_verified', 'not proven yet'],
    ['not_confirmed', 'Your session goes on as it was'],
    ['<img src=x onerror=alert(1)>', 'You were not signed in'],
    ['constructor', 'You were not signed in'],
  ])('says what to do where a provider ends with %s', async (error, said) => {
    const page = await pageOf(null)
    await page.goto(`/sign-in?error=${encodeURIComponent(error)}`)
    await page.getByRole('alert').getByText(said).waitFor()
  })

  it('leads back all the same where a provider refused', async () => {
    const page = await pageOf(null, { provoked: ITS_PAGE })
    await page.route('**/api/auth/oauth-signin', (route) =>
      route.fulfill({
        json: { object: 'oauth_redirect', provider: 'local', authorization_url: 'http://localhost:9/its-page' },
      }),
    )
    await page.route('http://localhost:9/its-page', (route) =>
      route.fulfill({ status: 303, headers: { location: `${origin}/sign-in?error=refused` } }),
    )
    await page.goto('/sign-in?to=/app/keys')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByRole('alert').getByText('You were not signed in').waitFor()
    await signIn(page, owner())
    await page.waitForURL('**/app/keys')
  })

  it('warns where plain http would lose the session', async () => {
    const page = await pageOf(null, { provoked: /practice\.example|Cross-Origin-Opener-Policy/ })
    const context = page.context()
    await context.route('http://practice.example/**', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('http://practice.example', origin) })
      await route.fulfill({ response })
    })
    await page.goto('http://practice.example/sign-in')
    await page.getByText('This page came over plain http').waitFor()
    await open(page, '/sign-in')
    await expect.poll(() => page.getByText('This page came over plain http').count()).toBe(0)
  })
})

describe('a new password', () => {
  it('is set by the mailed link, once', async () => {
    const person = await newPerson()
    const page = await pageOf(null, { provoked: refusedWith(400) })
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()

    const link = await mailedLink(person.email, 'reset')
    for (const outcome of ['set', 'used up']) {
      await page.goto(link)
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Set the password' }).click()
      if (outcome === 'set') await page.getByRole('heading', { name: 'The password is set' }).waitFor()
      else await page.getByRole('alert').getByText('The link was used already').waitFor()
      await page.goto('/sign-in')
    }
    await signIn(page, { ...person, password: PASSWORD })
    await page.waitForURL('**/app')
  })
})

describe('the identity provider of this machine', () => {
  it('confirms the session of who has no password, and brings them back to the same place', async () => {
    const page = await pageOf(null, { provoked: new RegExp(`${ITS_PAGE.source}|${refusedWith(401).source}`) })
    const email = newEmail()
    const byProvider = async (begin: Locator): Promise<void> => {
      await begin.click()
      // Only the provider's page has a name field. Our own page has an e-mail field too.
      await page.getByLabel('Name').fill('Ann Example')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${origin}/app/account#sessions`)
      await page.getByText('This one').waitFor()
    }
    await page.goto('/sign-in?to=/app/account%23sessions')
    await byProvider(page.getByRole('button', { name: /^Continue with/ }))
    const refuseOnce = (needed: object) =>
      refuseFirst(page, '**/api/auth/erasure', { code: 'fresh_sign_in_required', ...needed })
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await refuseOnce({ methods: ['totp'], full: true })
    await page.getByRole('button', { name: /^Erase this account/ }).click()
    await page.getByLabel(/^To go on, type/).fill(email)
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    // A provider confirms no session of who has a factor here.
    await dialog.getByRole('link', { name: 'Sign in again' }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await refuseOnce({ methods: ['provider'] })
    await page.getByRole('button', { name: 'Erase it in seven days' }).click()
    await byProvider(dialog.getByRole('button', { name: 'Go to your provider' }))
    // The same session: another would be listed beside it.
    await expect.poll(() => page.getByRole('button', { name: /^End/ }).count()).toBe(0)
  })

  it('signs somebody in, and back to where they wanted to go', async () => {
    const page = await pageOf(null, { provoked: ITS_PAGE })
    await page.goto('/sign-in?to=/app/account')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    // Only the provider's page has a name field. Our own page has an e-mail field too.
    await page.getByLabel('Name').fill('Ann Example')
    const email = newEmail()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${origin}/app/account`)
    await page.getByRole('listitem').getByText(email).waitFor()
    await page.getByText('provider “local”').first().waitFor()
    await page.getByText('You have none: you sign in by a provider.').waitFor()
  })
})

describe('the link of npm start', () => {
  it('signs a browser in, once', async () => {
    const link = await startSignInLink({ url: origin, origin }, owner())
    onTestFinished(link.close)
    const page = await pageOf(null, { provoked: /\/sign-in\/[\w-]+$|with a status of 410 / })
    await page.goto(link.url)
    await page.waitForURL('**/app')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(link.url)
    await page.getByText('This link works once.').waitFor()
  })
})

describe('an address where nothing is', () => {
  it('offers the search', async () => {
    const page = await pageOf(null, { provoked: /with a status of 404 / })
    await page.goto('/nothing-here')
    await page.getByRole('button', { name: 'Search docs and API' }).click()
    await page.getByRole('dialog').getByRole('combobox').waitFor()
  })
})
