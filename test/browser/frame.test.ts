// Tests the frame around every page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { pathsOf, showRole } from '../support/browser/acts.ts'
import { origin, pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'

const owner = service.owners['pro'] ?? service.filled.owner

const isFocused = async (page: Page, name: string): Promise<boolean> =>
  (await page.getByRole('button', { name }).and(page.locator(':focus')).count()) === 1

describe('the frame', () => {
  it('says where one is, and of invented data that it is invented, and of no other', async () => {
    const page = await open(service.filled.owner, '/app')
    await expect.poll(() => page.locator('[aria-current=page]').allTextContents()).toEqual(['Overview'])
    await page.getByText('Invented data: this is a demonstration.').waitFor()

    const other = await open(owner, '/app')
    await expect.poll(() => other.getByText('Invented data').count()).toBe(0)
  })

  it('counts what waits beside the way to it', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/approvals?*', (route) =>
      route.fulfill({ json: { object: 'list', data: WAITING, has_more: true, next_cursor: 'x' } }),
    )
    await open(page, '/app')
    await page.getByRole('link', { name: 'Approvals 3+ waiting' }).waitFor()
  })

  it('leads a role to what it has, and to nothing else', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'clinician')
    await open(page, '/app')
    const links = await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link').allTextContents()
    const names = links.map((text) => text.trim())
    expect(names).toContain('Receipts')
    for (const name of ['Analytics', 'Keys', 'Policies', 'Audit trail', 'Compliance']) expect(names).not.toContain(name)
  })

  it('shows no other organisation in the place of one that the address names and somebody is not in', async () => {
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, `/app/keys?org=${service.filled.organisationId}`)
    await page.getByText('You are not a member of the organisation that this address names').waitFor()
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual(['/api/auth/me'])
    await page.locator('#island').getByRole('link').click()
    await page.getByRole('button', { name: 'Create a key' }).first().waitFor()
  })
})

describe('finding', () => {
  it('opens a page by its name, from the keyboard alone', async () => {
    const page = await open(owner, '/app')
    await page.keyboard.press('/')
    await page.keyboard.type('analy/')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await page.getByText('No page has this in its name').waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app/analytics')
  })

  it('gives the focus back to where it was', async () => {
    const page = await open(owner, '/app')
    await page.getByRole('button', { name: 'Find' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => isFocused(page, 'Find')).toBe(true)
  })

  it('can be switched off, for whoever speaks to the computer', async () => {
    const page = await open(owner, '/app')
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Switch / and ? off' }).check()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('/')
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })
})

describe('the menu of a narrow window', () => {
  it('opens in front of the page, closes by Escape and leaves the focus where it was', async () => {
    const page = await pageOf(owner, { width: 320 })
    await open(page, '/app')
    const link = page.getByRole('link', { name: 'Analytics', exact: true })
    await expect.poll(() => link.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).press('Enter')
    await link.waitFor()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'hidden' })
    await expect.poll(() => isFocused(page, 'Menu')).toBe(true)
  })
})

describe('times', () => {
  it('are shown as somebody asks for them, on every page from then on', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/approvals?*', (route) =>
      route.fulfill({ json: { object: 'list', data: WAITING, has_more: false, next_cursor: null } }),
    )
    await page.clock.setFixedTime('2026-11-20T09:30:00Z')
    await open(page, '/app')
    const time = page.getByRole('table', { name: 'Those that wait longest' }).locator('time').first()
    await expect.poll(() => time.textContent()).toMatch(/ago$/)
    await expect.poll(() => time.getAttribute('title')).toBe('1 Nov 2026, 09:30:00 UTC')
    await expect.poll(() => time.getAttribute('datetime')).toBe('2026-11-01T09:30:00Z')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByLabel('Times').selectOption('Exact, in UTC')
    await expect.poll(() => time.textContent()).toBe('1 Nov 2026, 09:30:00 UTC')
    await page.reload()
    await settled(page)
    await expect.poll(() => time.textContent()).toBe('1 Nov 2026, 09:30:00 UTC')
  })
})

describe('signing out', () => {
  /** A session of its own: that of the other tests goes on. */
  async function signIn(page: Page): Promise<void> {
    const { email, password } = owner
    await page.goto('/robots.txt')
    const status = await page.evaluate(
      async (body) =>
        (await fetch('/api/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
          .status,
      JSON.stringify({ email, password }),
    )
    expect(status).toBe(200)
  }

  it('ends the session, empties what the browser kept, and shows nothing of the organisation to whoever goes back', async () => {
    const page = await pageOf(null)
    const context = page.context()
    await signIn(page)
    await open(page, '/app')
    await page.evaluate("localStorage.setItem('times', 'utc')")
    const [session] = await context.cookies()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await expect.poll(() => page.evaluate('localStorage.length')).toBe(0)
    await expect.poll(() => context.cookies()).toEqual([])
    const asked = await fetch(`${origin}/api/auth/me`, { headers: { cookie: `__Host-session=${session?.value}` } })
    expect(asked.status).toBe(401)

    await page.goBack()
    await page.waitForURL('**/sign-in?to=%2Fapp')
    await expect.poll(() => page.locator('#organisation-name').count()).toBe(0)
  })

  it('says that it failed, and stays', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/auth/logout', (route) => route.abort())
    await open(page, '/app')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The service could not be reached')
    expect(new URL(page.url()).pathname).toBe('/app')
  })
})

const HOSTILE = '<img src=x onerror="document.title=1">'

const WAITING = ['a', 'b', 'c'].map((at) => ({
  id: `apr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d1${at}`,
  object: 'approval',
  state: 'pending',
  created_at: '2026-11-01T09:30:00Z',
  expires_at: '2026-12-01T09:30:00Z',
  ended_at: null,
  key_id: 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
  model: HOSTILE,
  use_case: HOSTILE,
  decisions: [],
}))
