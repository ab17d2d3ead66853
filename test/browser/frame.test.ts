// Tests the frame around every page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf, showRole } from '../support/browser/acts.ts'
import { origin, ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const owner = service.owners['pro'] ?? service.filled.owner

const isFocused = async (page: Page, name: string): Promise<boolean> =>
  (await page.getByRole('button', { name }).and(page.locator(':focus')).count()) === 1

describe('the frame', () => {
  it('says where one is, and of invented data that it is invented, and of no other', async () => {
    const page = await pageOf(service.filled.owner)
    await page.addInitScript("localStorage.removeItem('demo')")
    await open(page, '/app')
    await expect.poll(() => page.locator('[aria-current=page]').allTextContents()).toEqual(['Overview'])
    const note = page.getByRole('complementary', { name: 'Demonstration' })
    await note.getByText('Invented data.').waitFor()
    await expect.poll(() => note.boundingBox()).toMatchObject({ y: 0, height: 28 })

    const other = await open(owner, '/app')
    await other.getByRole('button', { name: /^Local pro organisation/ }).waitFor()
    await expect.poll(() => other.getByText('Invented data').isVisible()).toBe(false)
  })

  it('counts what waits beside the way to it', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/approvals?*', (route) =>
      route.fulfill({ json: { object: 'list', data: WAITING, has_more: true, next_cursor: 'x' } }),
    )
    await open(page, '/app')
    await page.getByRole('link', { name: /^Approvals\s+3\+ waiting$/ }).waitFor()
  })

  it('asks for a second factor that is required, and has only that from its day on', async () => {
    const page = await pageOf(owner)
    let from = '2100-03-01T00:00:00.000Z'
    await changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: user.organisations.map((one) => ({
        ...one,
        second_factor: { required: 'any', from, met: false },
      })),
    }))
    await open(page, '/app/members')
    const notice = page.getByText('Local pro organisation needs a second factor from 1 Mar 2100.')
    await notice.waitFor()
    await page.getByRole('table').first().waitFor()
    from = '2026-01-01T00:00:00.000Z'
    await page.reload()
    await page.getByText('Local pro organisation needs a second factor.').waitFor()
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await page.getByRole('link', { name: 'Set one up' }).click()
    await page.waitForURL('**/app/account#second-factor')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  it('leads a role to what it has, and to nothing else', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'clinician')
    await open(page, '/app')
    const links = await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link').allTextContents()
    const names = links.map((text) => text.trim())
    expect(names).toContain('Members')
    for (const name of ['Analytics', 'API keys', 'Policy', 'Audit trail', 'Compliance'])
      expect(names).not.toContain(name)
  })

  it('marks with a lock what the tier lacks, and asks for nothing of it', async () => {
    const page = await pageOf(service.owners['free'] ?? owner)
    const asked = pathsOf(page)
    await open(page, '/app')
    await page.getByRole('link', { name: 'Analytics , not in your tier' }).click()
    await page.getByText('Not in the Free tier').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('anomalies')
    await page.getByRole('option', { name: 'Anomalies from Healthcare on', selected: true }).waitFor()
    expect(asked.filter((path) => path.startsWith('/api/analytics'))).toEqual([])
  })

  it('switches to another organisation on the same page', async () => {
    const page = await pageOf(owner, { provoked: refusedWith(404) })
    const other = { id: service.filled.organisationId, name: HOSTILE }
    await changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: [
        ...user.organisations.map((one) => ({ ...one, id: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' })),
        ...user.organisations.map((one) => ({ ...one, ...other })),
      ],
    }))
    await open(page, '/app/members')
    await page.getByRole('button', { name: /^Local pro organisation/ }).click()
    await expect
      .poll(() => page.getByRole('link', { name: HOSTILE }).getAttribute('href'))
      .toBe(`/app/members?org=${other.id}`)
  })

  it('shows no other organisation in the place of one that the address names and somebody is not in', async () => {
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, `/app/keys?org=${service.filled.organisationId}`)
    await page.getByText('You are not a member of the organisation that this address names').waitFor()
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual(['/api/auth/me'])
    await page.locator('#island').getByRole('link').click()
    await page.getByRole('link', { name: 'Create a key' }).waitFor()
  })
})

describe('a short page', () => {
  it('does not scroll', async () => {
    const page = await open(ownerOn('healthcare'), '/app/keys')
    await expect.poll(() => page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0)
  })
})

describe('an address of the dashboard that is no page', () => {
  it('leads back to the dashboard, and offers no sign-in', async () => {
    const page = await pageOf(owner, { provoked: refusedWith(404) })
    await page.goto('/app/nothing')
    await page.getByRole('link', { name: 'Your dashboard' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Get started' }).count()).toBe(0)
  })
})

describe('finding', () => {
  it('opens a page by its name, from the keyboard alone', async () => {
    const page = await open(owner, '/app')
    await page.keyboard.press('/')
    await page.keyboard.type('analytics')
    await page.getByRole('option', { name: 'Analytics', exact: true, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app/analytics')
  })

  it('leads to the page of an id, and does not for half of one', async () => {
    const page = await open(service.filled.owner, '/app')
    const id = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
    await page.keyboard.press('Control+k')
    const { organisationId } = service.filled
    for (const [typed, address] of [
      ['tr_0198f3a05b7e7c419d1e2f6a8c0b4d11', '/app/calls?id=0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'],
      ['req_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11', '/app/calls?q=req_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'],
      ['rep_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11', '/app/compliance?report=rep_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'],
      ['k2', '/app/compliance?control=K2'],
      [organisationId, `/app?org=${organisationId}`],
    ] as const) {
      await page.getByRole('combobox').fill(typed)
      await expect.poll(() => page.getByRole('option').first().getAttribute('href')).toBe(address)
    }
    await page.getByRole('combobox').fill('')
    await page.keyboard.type(id.slice(0, -1))
    await page.getByText('Nothing for').waitFor()
    await page.keyboard.type(id.slice(-1))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/app/keys?id=${id}`)
  })

  it('does what the header does, offers what the role may do, and finds documents', async () => {
    const page = await pageOf(owner)
    await showRole(page, 'clinician')
    await open(page, '/app')
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Decide about waiting requests' }).waitFor()
    await expect.poll(() => page.getByRole('option', { name: /^(Create a key|Make a report)/ }).count()).toBe(0)
    await page.keyboard.type('webhook')
    await page.getByRole('group', { name: 'Documents' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('switch to dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  })

  it('finds acts, pages, keys and people by name, settings by their labels, operations, and documents last', async () => {
    const page = await open(service.filled.owner, '/app/compliance')
    await page.keyboard.press('/')
    const field = page.getByRole('combobox')
    const namesFor = async (query: string): Promise<unknown> => {
      await field.fill(query)
      await page
        .getByRole('status')
        .filter({ hasText: /result/ })
        .waitFor()
      return page.evaluate(GROUPS)
    }
    await expect.poll(() => namesFor('key')).toEqual(['Do', 'Pages', 'Keys', 'API', 'Documents'])
    const key = page.getByRole('group', { name: 'Keys' }).getByRole('option').first()
    await expect.poll(() => key.getAttribute('href')).toMatch(/^\/app\/keys\?id=key_/)
    await field.fill('monthly budget')
    const setting = page.getByRole('group', { name: 'Settings' }).getByRole('option', { name: /^Monthly budget/ })
    await expect.poll(() => setting.getAttribute('href')).toBe('/app/settings?part=limits')
    await expect.poll(() => namesFor(service.filled.owner.email)).toEqual(['People'])
    for (const [query, first] of [
      // Both are beginnings of words of documents.
      ['rotat kee', 'Replace or revoke a key'],
      ['swich to drak', 'Switch to'],
      ['how do I replace a key', 'Replace or revoke a key'],
      ['control k4', 'Control K4'],
    ] as const) {
      await field.fill(query)
      await page.getByRole('option', { name: first }).and(page.locator('[aria-selected=true]')).waitFor()
    }
    await field.press('End')
    await expect.poll(() => page.getByRole('option').last().getAttribute('aria-selected')).toBe('true')
    await field.press('Home')
    await expect.poll(() => page.getByRole('option').first().getAttribute('aria-selected')).toBe('true')
    // The page reads its hash as it opens, and it is open.
    await field.fill('make a report')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app/compliance#report')
    await page.getByRole('dialog', { name: 'Make a report' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field.fill(service.filled.owner.email)
    await page.getByRole('group', { name: 'People' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app/members#usr_*')
    await page.locator('[data-row][aria-current]').waitFor()
  })

  it('opens a second time and finds without a request, each in the frame after it', async () => {
    const page = await open(service.filled.owner, '/app')
    const field = page.getByRole('combobox')
    await page.keyboard.press('Control+k')
    await field.fill('key')
    for (const name of ['Keys', 'Documents']) await page.getByRole('group', { name }).waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    const asked = pathsOf(page)
    const { opened, found } = await page.evaluate<Drawn>(SECOND_OPENING)
    expect({ opened, found, asked: asked.filter((path) => !path.startsWith('/api/approvals')) }).toEqual({
      opened: true,
      found: ['Do', 'Pages', 'Keys', 'API', 'Documents'],
      asked: [],
    })
  })

  it('gives the focus back to where it was', async () => {
    const page = await open(owner, '/app')
    await page.getByRole('button', { name: 'Find or do anything' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => isFocused(page, 'Find or do anything')).toBe(true)
  })

  it('can be switched off, for whoever speaks to the computer', async () => {
    const page = await open(owner, '/app')
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Switch keys without Ctrl off' }).check()
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
    const page = await pageOf(service.filled.owner)
    await showRole(page, 'clinician')
    await open(page, '/app')
    const time = page.getByRole('region', { name: 'Latest decisions' }).locator('time').first()
    const exact = /^\d{1,2} \w{3} \d{4}, \d{2}:\d{2}:\d{2} UTC$/
    await expect.poll(() => time.textContent()).not.toMatch(exact)
    await expect.poll(() => time.getAttribute('title')).toMatch(exact)
    await page.getByRole('button', { name: / account of / }).click()
    await page.getByLabel('Times').selectOption('Exact, in UTC')
    await expect.poll(() => time.textContent()).toMatch(exact)
    await page.reload()
    await settled(page)
    await expect.poll(() => time.textContent()).toMatch(exact)
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
    await page.getByRole('button', { name: / account of / }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/sign-in')
    await expect.poll(() => page.evaluate('localStorage.length')).toBe(0)
    // The page to sign in has a challenge for passkeys.
    await expect.poll(async () => (await context.cookies()).map(({ name }) => name)).toEqual(['__Host-passkey-sign-in'])
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
    await page.keyboard.press('Control+k')
    await page.keyboard.type('log out')
    await page.getByRole('option', { name: 'Sign out', exact: true, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The service could not be reached')
    expect(new URL(page.url()).pathname).toBe('/app')
  })
})

type Drawn = { opened: boolean; found: string[] }

const GROUPS = "Array.from(document.querySelectorAll('[role=listbox] [role=group]'), (group) => group.ariaLabel)"

/** Opens the search and types, waits one frame after each, and says what is there. */
const SECOND_OPENING = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  await frame()
  const field = document.querySelector('[role=combobox]')
  const opened = field !== null && document.querySelectorAll('[role=option]').length > 0
  field.value = 'key'
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  await frame()
  const found = ${GROUPS}
  return { opened, found }
})()`

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
