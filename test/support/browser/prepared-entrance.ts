// Pages of sign-in, account and members, in states that show only after an action.
import type { Page } from 'playwright-core'
import type { PageState } from './pages.ts'

export const ENTRANCE_PAGES: readonly PageState[] = [
  '/sign-in',
  '/sign-in?error=email_not_verified',
  '/sign-up',
  '/confirm',
  '/reset',
  '/invite',
].map((address) => ({ address, state: 'open' }))

export const ACCOUNT_PAGES: readonly string[] = ['/app/account', '/app/notices', '/app/members', '/app/organisation']

/** Has the form of one, and is of no link. */
const TOKEN = 'a'.repeat(43)

const byLink = (address: string): PageState => ({
  address,
  state: 'open',
  prepare: async (page) => {
    await page.goto(`${address}#${TOKEN}`)
    await page.locator('#island form').waitFor()
  },
})

const press = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor()
}

const behind = (address: string, name: string | RegExp): PageState => ({
  address,
  state: 'full',
  prepare: (page) => press(page, name),
})

async function answering(page: Page, path: string, status: number, json: object): Promise<void> {
  await page.route(`**${path}`, (route) => route.fulfill({ status, json }))
}

export const PREPARED_ENTRANCE: readonly PageState[] = [
  byLink('/confirm'),
  byLink('/reset'),
  byLink('/invite'),
  {
    address: '/sign-in',
    state: 'open',
    prepare: async (page) => {
      await page.getByLabel('E-mail address').fill('nobody@practice.example')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    address: '/sign-in',
    state: 'open',
    prepare: async (page) => {
      const methods = ['totp', 'recovery_code']
      await answering(page, '/api/auth/login', 202, { object: 'sign_in', methods })
      await page.getByLabel('E-mail address').fill('aine@practice.example')
      await page.getByLabel('Password', { exact: true }).fill('a wet morning in late november')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'One more step' }).waitFor()
    },
  },
  {
    address: '/sign-up',
    state: 'open',
    prepare: async (page) => {
      await answering(page, '/api/auth/signup', 202, { object: 'signup', status: 'confirmation_sent' })
      await page.getByLabel('Your name').fill('Áine Ní Bhriain')
      await page.getByLabel('E-mail address').fill('aine@practice.example')
      await page.getByLabel('Password', { exact: true }).fill('a wet morning in late november')
      await page.getByRole('button', { name: 'Sign up' }).click()
      await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    },
  },
]

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const used = { created_at: '2026-11-20T10:00:00.000Z', last_used_at: '2026-11-27T10:00:00.000Z' }

const FACTORS = [
  { ...used, id: 'psk_1', object: 'passkey', name: 'Work laptop', backup_eligible: true, backed_up: true },
  { ...used, id: 'tot_1', object: 'totp', locked: true },
  { ...used, id: 'recovery_codes', object: 'recovery_codes', left: 2 },
]

export const PREPARED_ACCOUNT: readonly PageState[] = [
  behind('/app/account', 'Sign out everywhere'),
  behind('/app/account', /^Leave/),
  behind('/app/account', /^Erase/),
  {
    address: '/app/account',
    state: 'full',
    prepare: async (page) => {
      await answering(page, '/api/auth/factors', 200, { object: 'list', data: FACTORS })
      await answering(page, '/api/auth/totp', 201, { secret: SECRET, otpauth_url: `otpauth://totp/A?secret=${SECRET}` })
      await page.reload()
      await press(page, /^(Set up an app|Replace the app)$/)
      await page.getByRole('img', { name: /^QR code/ }).waitFor()
    },
  },
  {
    address: '/app/members',
    state: 'full',
    prepare: async (page) => {
      await page
        .getByLabel(/^Role of/)
        .last()
        .selectOption('auditor')
      await page.getByRole('dialog').waitFor()
    },
  },
  behind('/app/members', 'Invite a member'),
  { address: '/app/members', state: 'empty', prepare: (page) => page.getByText(/^All \d+ permissions/).click() },
  {
    address: '/app/members',
    state: 'empty',
    prepare: async (page) => {
      await answering(page, '/api/members/invitations', 201, {
        email: 'dr.mary@example.org',
        role: 'clinician',
        mailed: false,
        url: `https://countersign.example/invite#h.${TOKEN}`,
      })
      await press(page, 'Invite a member')
      await page.getByLabel('E-mail address').fill('dr.mary@example.org')
      await page.getByRole('radio', { name: /^Clinician/ }).check()
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByRole('heading', { name: 'Hand over this link' }).waitFor()
    },
  },
]
