// Tests rules for every page: sessions, pages of others, frames, and the data that a browser stores.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/browser/acts.ts'
import { origin, pageOf, sessionOf } from '../support/browser/browser.ts'
import { foreignSite } from '../support/browser/foreign-site.ts'
import { PAGE_STATES, open, settled } from '../support/browser/pages.ts'
import { newPerson } from '../support/browser/people.ts'
import type { Person } from '../support/browser/service.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const ADDRESSES = [...new Set(PAGE_STATES.map(({ address }) => address))]

const statusWith = async (session: string): Promise<number> =>
  (await fetch(`${origin}/api/auth/me`, { headers: { cookie: `__Host-session=${session}` } })).status

async function enter(page: Page, person: Person): Promise<void> {
  await page.goto('/sign-in?to=/app/account')
  await signIn(page, person)
  await page.waitForURL(`${origin}/app/account`)
  await settled(page)
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: / account of / }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${origin}/sign-in`)
}

async function tokenOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies(origin)
  return cookies.find(({ name }) => name === '__Host-session')?.value ?? ''
}

describe('a session', () => {
  it('is in a cookie that no script reads, another one at each sign-in, and over once it is signed out of', async () => {
    const person = await newPerson()
    const page = await pageOf(null)
    await enter(page, person)
    const first = await tokenOf(page)
    await expect.poll(() => page.evaluate('document.cookie')).toBe('')
    await enter(page, person)
    const second = await tokenOf(page)
    expect(second).not.toBe(first)
    expect(await Promise.all([first, second].map(statusWith))).toEqual([401, 200])

    await signOut(page)
    expect(await statusWith(second)).toBe(401)
    // The sign-in page has one for passkeys.
    const cookies = async () => (await page.context().cookies(origin)).map(({ name }) => name)
    await expect.poll(cookies).not.toContain('__Host-session')
  })

  it('leaves nothing to go back to', async () => {
    const person = await newPerson('Somebody Discreet')
    const page = await pageOf(null)
    await enter(page, person)
    await signOut(page)
    await page.goBack()
    await page.waitForURL('**/sign-in?to=*')
    await settled(page)
    await expect.poll(() => page.content()).not.toContain('Somebody Discreet')
  })

  it('is asked for again where the browser shows a page as it was left', async () => {
    const page = await pageOf(await newPerson())
    const context = page.context()
    await open(page, '/app/account')
    await context.clearCookies()
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    await page.waitForURL('**/sign-in?to=*')
  })

  it('that ended elsewhere leads to signing in, and back to the same address', async () => {
    const person = await newPerson()
    const page = await open(person, '/app/account?org=org_1#sessions', { provoked: refusedWith(401) })
    await fetch(`${origin}/api/auth/logout`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', cookie: `__Host-session=${await sessionOf(person)}` },
      body: '{}',
    })
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('button', { name: 'Sign out, here too' }).click()
    await page.waitForURL(`**/sign-in?to=${encodeURIComponent('/app/account?org=org_1#sessions')}`)
  })
})

describe('two tabs of a browser', () => {
  it('both lose what they show once one signs out, and show the next person once somebody else signs in', async () => {
    const [before, after] = [await newPerson('Somebody Before'), await newPerson('Somebody After')]
    const page = await pageOf(null)
    const context = page.context()
    await enter(page, before)
    const other = await context.newPage()
    await other.goto('/app/account')
    await other.getByText(before.email).first().waitFor({ state: 'attached' })
    // A list that still loads would be refused once its session ends.
    const ownSession = other.getByText('This one', { exact: true })
    await ownSession.waitFor()

    await enter(page, after)
    await other.getByRole('listitem').getByText(after.email, { exact: true }).waitFor()
    await expect.poll(() => other.content()).not.toContain(before.email)
    await ownSession.waitFor()

    await signOut(page)
    await other.waitForURL(`${origin}/sign-in?to=%2Fapp%2Faccount`)
  })
})

/** Acts for whoever is signed in, in all the ways that a page has of sending something elsewhere. */
const FORGERY = `<!doctype html><title>A page of somebody else</title>
<form method="post" enctype="text/plain" target="form" action="${origin}/api/auth/logout-everywhere"><input name='{"a":"' value='"}'></form>
<iframe name="form"></iframe>
<iframe sandbox="allow-scripts allow-forms" srcdoc="<form method=post action='${origin}/api/auth/logout-everywhere'></form><script>document.forms[0].submit()</script>"></iframe>
<script>
document.forms[0].submit()
const asked = { method: 'POST', credentials: 'include', body: '{}' }
const reading = fetch('${origin}/api/auth/me', { credentials: 'include' })
const acting = [
  fetch('${origin}/api/auth/logout', { ...asked, mode: 'no-cors' }),
  fetch('${origin}/api/auth/erasure', { ...asked, headers: { 'content-type': 'application/json' } }),
]
Promise.allSettled([reading, ...acting]).then(([{ status }]) => { document.title = status === 'rejected' ? 'not readable' : 'read' })
</script>`

describe('a page of somebody else', () => {
  it.each(['otherSite', 'sameSite'] as const)('acts for nobody and reads nothing: %s', async (which) => {
    const person = await newPerson()
    await using site = await foreignSite(FORGERY)
    const page = await pageOf(person, { provoked: /./ })
    const answers: string[] = []
    page.on('response', (response) => {
      const request = response.request()
      if (request.method() === 'POST') answers.push(`${response.status()} ${new URL(request.url()).pathname}`)
    })
    await page.goto(site[which])
    await expect.poll(() => page.title()).toBe('not readable')
    // The browser reports no response to the page's `fetch` calls, so only the two forms are listed.
    const refused = Array<string>(2).fill('403 /api/auth/logout-everywhere')
    await expect.poll(() => answers.toSorted()).toEqual(refused)
    expect(await statusWith(await sessionOf(person))).toBe(200)
    expect(await tokenOf(page)).toBe(await sessionOf(person))
  })

  it('is told from ours by the header origin', async () => {
    const session = await sessionOf(await newPerson())
    for (const from of [undefined, 'null', 'https://evil.example', `${origin}.evil.example`]) {
      const response = await fetch(`${origin}/api/auth/logout-everywhere`, {
        method: 'POST',
        headers: { cookie: `__Host-session=${session}`, ...(from !== undefined && { origin: from }) },
      })
      expect({ from, status: response.status }).toEqual({ from, status: 403 })
    }
    expect(await statusWith(session)).toBe(200)
  })

  it('shows none of our pages in a frame', async () => {
    const frames = ADDRESSES.map((address) => `<iframe src="${origin}${address}"></iframe>`).join('')
    await using site = await foreignSite(`<!doctype html><title>A frame</title>${frames}`)
    const page = await pageOf(await newPerson(), { provoked: /./ })
    await page.goto(site.sameSite)
    const framed = () => page.frames().filter((frame) => frame !== page.mainFrame())
    const shown = () => framed().map((frame) => frame.url())
    await expect.poll(shown).toEqual(ADDRESSES.map(() => 'chrome-error://chromewebdata/'))
  })
})

const CHECKER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'none'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const lines = (text: string): string[] => text.split('\n').map((line) => line.trim())

/** Headers that `_headers` sets for everything that is served. */
const HEADERS = Object.fromEntries(
  lines(readFileSync('src/pages/public/_headers', 'utf8').split('\n/')[0] ?? '')
    .filter((line) => line.includes(': '))
    .map((line) => [line.slice(0, line.indexOf(': ')).toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
)

describe('every page', () => {
  it('and each part of one has the headers that let no foreign script in, no data out and no frame around', async () => {
    const front = await (await fetch(origin)).text()
    const parts = [...front.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(parts.some((path) => path.endsWith('.css')) && parts.some((path) => path.endsWith('.js'))).toBe(true)
    expect(Object.keys(HEADERS)).toHaveLength(9)
    for (const address of [...ADDRESSES, ...parts, '/favicon.svg', '/robots.txt', '/verify-offline']) {
      const { headers } = await fetch(origin + address, { headers: { 'sec-fetch-dest': 'document' } })
      const sent = Object.fromEntries(Object.keys(HEADERS).map((name) => [name, headers.get(name)]))
      const isPart = address.startsWith('/assets/')
      expect({ address, sent }).toEqual({
        address,
        sent: {
          ...HEADERS,
          ...(isPart && { 'cache-control': 'public, max-age=31536000, immutable' }),
          ...(address === '/verify' && { 'content-security-policy': CHECKER_POLICY }),
        },
      })
    }
  })

  it('has the policy of its own element by element: nothing is allowed that is not of the site', () => {
    const policy = HEADERS['content-security-policy'] ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; .*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    )
    expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/)
    expect(HEADERS).toMatchObject({
      'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
  })

  it('makes no element of text that a script puts in', async () => {
    const page = await pageOf(null, { provoked: /TrustedHTML|trusted-types/ })
    await page.goto('/sign-in')
    const attempt = `(() => { try { document.body.innerHTML = '<b>in</b>'; return 'made' } catch { return 'refused' } })()`
    await expect.poll(() => page.evaluate(attempt)).toBe('refused')
  })
})
