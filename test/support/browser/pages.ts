// Every page in every state that it can be looked at in: each room adds its own.
import type { Page } from 'playwright-core'
import type { Person } from './service.ts'
import { member, ownerOn, pageOf, service, visitor } from './browser.ts'
import { ACCOUNT_PAGES, ENTRANCE_PAGES, PREPARED_ACCOUNT, PREPARED_ENTRANCE } from './prepared-entrance.ts'
import { PREPARED_FRONT } from './front-page.ts'
import { EVIDENCE_PAGES, PREPARED_EVIDENCE } from './prepared-evidence.ts'
import { PREPARED_KEYS } from './prepared-keys.ts'
import { PREPARED_OVERVIEW } from './prepared-overview.ts'
import { PREPARED_SETTINGS } from './prepared-settings.ts'
import { FAILING, refusedWith, type Look, type Visitor } from './visitor.ts'

export type PageState = {
  /** Path and query. */
  address: string
  /** `empty`: nothing has happened in the organisation; `full`: weeks of calls; `failing`: the API answers 500. */
  state: 'open' | 'empty' | 'full' | 'failing'
  /** Prepares the page before the check: opens a dialog, tries a reading. */
  prepare?: (page: Page) => Promise<void>
}

/** For anybody. */
const OPEN: readonly PageState[] = [
  { address: '/', state: 'open' },
  { address: '/verify', state: 'open' },
  { address: '/status', state: 'open' },
  { address: '/tiers', state: 'open' },
  { address: '/nothing-here', state: 'open' },
  { address: '/failed', state: 'open' },
  { address: '/reference', state: 'open' },
  { address: '/reference/readReferral', state: 'open' },
  { address: '/docs', state: 'open' },
  { address: '/docs/concepts', state: 'open' },
  ...ENTRANCE_PAGES,
]

/** Pages of the dashboard. Each is checked empty, full and failing. */
export const OF_MEMBERS: readonly string[] = [
  '/app',
  '/app/analytics',
  '/app/playground',
  '/app/keys',
  '/app/approvals',
  '/app/policies',
  '/app/settings',
  ...ACCOUNT_PAGES,
  ...EVIDENCE_PAGES,
]

/** States that show only after an action on the page. */
const PREPARED: readonly PageState[] = [
  { address: '/reference/createChatCompletion', state: 'open', prepare: openOperation },
  { address: '/verify', state: 'open', prepare: (page) => checkExample(page, 'Try an invented example', 'Valid') },
  {
    address: '/verify',
    state: 'open',
    prepare: (page) => checkExample(page, 'The same, its outcome changed', 'Not valid'),
  },
  ...PREPARED_OVERVIEW,
  { address: '/verify', state: 'open', prepare: askForMore },
  ...PREPARED_FRONT,
  ...PREPARED_ENTRANCE,
  ...PREPARED_ACCOUNT,
  ...PREPARED_KEYS,
  ...PREPARED_EVIDENCE,
  ...PREPARED_SETTINGS,
]

export const PAGE_STATES: readonly PageState[] = [
  ...OPEN,
  ...OF_MEMBERS.flatMap((address) => (['empty', 'full', 'failing'] as const).map((state) => ({ address, state }))),
  ...PREPARED,
]

/** Somebody who looks at it, once all of it is there. */
export async function lookAt(
  { address, state, prepare }: PageState,
  look: Look = {},
): Promise<Visitor & AsyncDisposable> {
  const provoked = PROVOKED[state === 'failing' ? state : address]
  const sees = provoked === undefined ? look : { ...look, provoked }
  const somebody = state === 'open' ? await visitor(sees) : await member(whoSees(state), sees)
  if (state === 'failing') await failing(somebody.page)
  await somebody.page.goto(address)
  await settled(somebody.page)
  await prepare?.(somebody.page)
  return somebody
}

/** What a state or an address has the browser say. */
const PROVOKED: Readonly<Record<string, RegExp>> = {
  failing: FAILING,
  '/nothing-here': /with a status of 404 /,
  // What was prepared there is refused: an action of the five, and a wrong password.
  '/': refusedWith(409),
  '/sign-in': refusedWith(401),
}

const whoSees = (state: 'empty' | 'full' | 'failing'): Person =>
  state === 'full' ? service.filled.owner : ownerOn('pro')

/** The session is there, and nothing else. */
async function failing(page: Page): Promise<void> {
  await page.route(
    (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me',
    (route) => route.fulfill({ status: 500, json: { error: FAILED } }),
  )
}

const FAILED = {
  code: 'internal_error',
  type: 'api_error',
  message: 'Something failed here. It was logged under the request id.',
  param: null,
  request_id: 'req_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
}

/** Opens an address, for somebody or on a page that is open, and waits until all of it is there. @param look of somebody */
export async function open(whom: Person | Page | null, address: string, look: Look = {}): Promise<Page> {
  const page = whom === null || 'email' in whom ? await pageOf(whom, look) : whom
  await page.goto(address)
  await settled(page)
  return page
}

/** Waits until nothing is on its way: the island has something in it, and none of that holds the place of what is to come. */
export async function settled(page: Page): Promise<void> {
  if ((await page.locator('#island').count()) > 0)
    await page.locator('#island > *').first().waitFor({ state: 'attached' })
  // By its own calls, one after the other: the policy of a page lets no function of a test wait in it.
  const busy = page.locator('[aria-busy=true]')
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: 'detached' })
}

async function checkExample(page: Page, example: string, verdict: string): Promise<void> {
  await page.getByRole('button', { name: example }).click()
  await page.getByRole('heading', { name: verdict, exact: true }).waitFor()
}

/** With its body, and one answer of each kind. */
async function openOperation(page: Page): Promise<void> {
  await page.locator('summary', { hasText: '403' }).click()
  await page.locator('#code').getByRole('tab', { name: '403' }).click()
  await page.getByRole('button', { name: 'Try it' }).click()
}

async function askForMore(page: Page): Promise<void> {
  await page.getByLabel('What to check', { exact: true }).fill('{ "request_hash": "" }')
  await page.getByText('Where to get keys').click()
  await page.getByText('Compare with: request').click()
  await page.getByRole('button', { name: 'Check it' }).click()
  await page.getByText('Not checked yet.').waitFor()
}
