// The front page: what it says at once, a reading from one press of a button, what never leaves it, and what it says when a reading fails.
import type { Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { IdentifierFinding } from '../../src/scanning/identifiers/find-identifiers.ts'
import { changeAnswers } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { letterText, readButton, readExample, useKey } from '../support/browser/front-page.ts'
import { open } from '../support/browser/pages.ts'
import { FAILING, overflowOf, refusedWith } from '../support/browser/visitor.ts'
import EXAMPLES from '../../data/examples.json' with { type: 'json' }

const READ = '/v1/referral/read'

const asked = (page: Page): Request[] => {
  const requests: Request[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/') && pathname !== '/v1/sandbox-key') requests.push(request)
  })
  return requests
}

/** The front page, and the requests that it sends to the API. */
async function atFront(): Promise<{ page: Page; requests: Request[] }> {
  const page = await pageOf(null)
  await withoutSharedKey(page)
  const requests = asked(page)
  await page.goto('/')
  return { page, requests }
}

async function withKey(key = service.sandboxKey): Promise<{ page: Page; requests: Request[] }> {
  const front = await atFront()
  await useKey(front.page, key)
  return front
}

const bottomOf = async (page: Page, words: string): Promise<number> => {
  const box = await page.getByText(words).first().boundingBox()
  return (box?.y ?? Infinity) + (box?.height ?? 0)
}

/** As a deployment without a key for its visitors. */
const withoutSharedKey = (page: Page): Promise<unknown> =>
  page.route('**/v1/sandbox-key', (route) => route.fulfill({ json: { object: 'sandbox_key', key: null } }))

const answerReadWith = (page: Page, status: number, error: object): Promise<unknown> =>
  page.route(`**${READ}`, (route) =>
    route.fulfill({ status, json: { error: { request_id: 'req_of_this_test', ...error } } }),
  )

describe('the front page at first', () => {
  it.each([
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ])('says what it is and what it never does within $width × $height', async (look) => {
    const page = await pageOf(null, look)
    await page.goto('/')
    for (const words of ['Two readers for every referral.', 'two independent models read', 'Never chooses a hospital'])
      await expect.poll(() => bottomOf(page, words)).toBeLessThan(look.height)
  })

  it('reads without JavaScript', async () => {
    const page = await pageOf(null, { javaScript: false })
    await page.goto('/')
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/specialty[^]+needs JavaScript[^]+OpenAI, in the United States[^]+Use invented letters only/)
  })

  it('sends no letter without its check for identifiers', async () => {
    const page = await pageOf(null, { provoked: /net::ERR_FAILED$/ })
    await page.route('**/assets/find-identifiers-*.js', (route) => route.abort())
    await page.goto('/')
    await page.getByText('did not load').waitFor()
    await expect.poll(() => readButton(page).count()).toBe(0)
  })

  it.each(['/', '/status'])('does not jump while it loads: %s', async (address) => {
    const page = await open(null, address)
    const shift = await page.evaluate(`new Promise((resolve) => {
      const shifts = new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
      shifts.observe({ type: 'layout-shift', buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))
    })`)
    expect(shift).toBeLessThan(0.01)
  })
})

describe('a browser that keeps nothing for a page, where a key for all does not come', () => {
  it('shows the letter, the code and the refusals all the same', async () => {
    const page = await pageOf(null)
    await page.addInitScript(
      `Object.defineProperty(globalThis, 'sessionStorage', { get() { throw new DOMException('denied', 'SecurityError') } })`,
    )
    const never = Promise.withResolvers<void>()
    await page.route('**/v1/sandbox-key', () => never.promise)
    await page.goto('/')
    await page.getByText('Reading a letter takes a key.').waitFor()
    await expect.poll(() => letterText(page).inputValue()).toContain('Dear Doctor')
    await page.locator('#gateway-code').getByRole('tab', { name: 'Python' }).click()
    await expect.poll(() => page.locator('#gateway-code pre').innerText()).toContain('from openai')
    await expect.poll(() => page.locator('#held').getByRole('button').count()).toBe(5)
    never.resolve()
  })
})

describe('the key', () => {
  it('is taken out of the address of the link at once, and is kept nowhere', async () => {
    const page = await pageOf(null)
    const context = page.context()
    const requests = asked(page)
    await page.goto(`/#key=${service.sandboxKey}`)
    await readButton(page).click()
    await page.getByRole('heading', { name: 'Yes: Cardiology, adult.' }).waitFor()
    expect(page.url()).toBe(`${service.origin}/`)
    await page.goto('/status')
    await page.goBack()
    expect(page.url()).toBe(`${service.origin}/`)
    const kept = [
      await context.storageState(),
      await page.evaluate('JSON.stringify([{ ...sessionStorage }, document.cookie])'),
    ]
    expect(JSON.stringify(kept)).not.toContain(service.sandboxKey)
    expect(requests.map((request) => request.url()).join(' ')).not.toContain(service.sandboxKey)
    expect(requests[0]?.headers()['authorization']).toBe(`Bearer ${service.sandboxKey}`)
  })

  it('is asked for where there is none, with how to get one; what is pasted must be one', async () => {
    const { page, requests } = await atFront()
    await readButton(page).click()
    await expect.poll(() => page.evaluate('document.activeElement.labels[0].textContent')).toBe('Key')
    await expect.poll(() => page.locator('main').innerText()).toContain('requested by e-mail from the operator')
    const field = page.getByLabel('Key', { exact: true })
    await field.fill('aqta_of-the-gateway')
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('begins with vk_test_ or vk_live_').waitFor()
    expect(requests).toEqual([])
    await field.fill(service.sandboxKey)
    await field.press('Enter')
    await readButton(page).click()
    await page.getByRole('heading', { name: 'Yes: Cardiology, adult.' }).waitFor()
    await expect.poll(() => page.locator('body').innerText()).not.toContain(service.sandboxKey)
  })

  it('that all visitors share reads the letter without any other', async () => {
    const page = await pageOf(null)
    await page.goto('/')
    await readButton(page).click()
    await page.getByRole('heading', { name: 'Yes: Cardiology, adult.' }).waitFor()
    await page.getByText('Read with the shared sandbox key of this page').waitFor()
  })

  it('that all visitors share is busy: wait or use your own', async () => {
    const page = await pageOf(null, { provoked: refusedWith(429) })
    await answerReadWith(page, 429, { code: 'rate_limit_exceeded', message: 'Over the limit.', retry_after: 17 })
    await page.goto('/')
    await readButton(page).click()
    await page.getByText('The shared key is busy: wait 17 seconds or use your own.').waitFor()
  })
})

describe('a reading', () => {
  it('takes one press; it is announced, the focus stays, and both readings weigh the same', async () => {
    const page = await pageOf(null, { width: 600 })
    await page.goto('/')
    await useKey(page)
    await readButton(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Yes: Cardiology, adult.').waitFor({ state: 'attached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Read the letter')
    const [a, b] = await Promise.all(
      ['Reader A', 'Reader B'].map((name) => page.getByRole('region', { name }).boundingBox()),
    )
    expect([a?.y, a?.width, a?.height]).toEqual([b?.y, b?.width, b?.height])
    expect(a?.x).toBeLessThan(b?.x ?? 0)
  })

  it('shows the lists in the order of the file, each with its source, its dates and the file', async () => {
    const { page } = await atFront()
    const answered = page.waitForResponse((response) => response.url().includes('/v1/waiting-lists'))
    await readExample(page, 'cardiology-exertional-chest-tightness')
    const { waitingLists, datasetVersion } = (await (await answered).json()) as {
      waitingLists: { hospital: string; total: number }[]
      datasetVersion: { hash: string }
    }
    const rows = page.getByRole('region', { name: 'Published waiting lists' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(waitingLists.length)
    for (const [at, { hospital, total }] of waitingLists.entries()) {
      const row = rows.nth(at)
      const words = await row.innerText()
      expect(words).toContain(hospital)
      expect(words).toContain(total.toLocaleString('en-IE'))
      expect(words).toMatch(/Countersign, archive \d+ \w+ \d{4}, published \d+ \w+ \d{4},\s+file \w{8}…/)
      await expect.poll(() => row.getByRole('link').getAttribute('href')).toBe(`/v1/files/${datasetVersion.hash}`)
    }
    await page.getByText(datasetVersion.hash).first().waitFor()
    const words = await page.locator('main').innerText()
    expect(words).not.toMatch(/average wait|sort|recommended|best|most likely/i)
    await expect.poll(() => page.getByRole('columnheader').getByRole('button').count()).toBe(0)
  })

  it('says ask in words, and shows lists of what was named only where somebody asks', async () => {
    const { page, requests } = await atFront()
    await readExample(page, 'differ-adult-upper-abdominal-pain')
    await page.getByRole('heading', { name: 'Ask: the clinician chooses.' }).waitFor()
    expect(requests.map((request) => new URL(request.url()).pathname)).toEqual([READ])
    const named = await page.getByRole('region', { name: 'Reader B' }).locator('b').innerText()
    await page.getByRole('button', { name: `${named}, adult` }).click()
    await page.getByRole('heading', { name: `Published waiting lists: ${named}, adult` }).waitFor()
  })

  it('of a text of one’s own takes a live key, which the page warns of, and leaves a record to keep', async () => {
    const { page } = await withKey(service.liveKey)
    await page.getByText('A live key sends the letter to two providers').waitFor()
    await letterText(page).fill('Dear Doctor, please see this 58 year old man with palpitations on exertion.')
    await readButton(page).click()
    await page.getByRole('heading', { name: 'Yes: Cardiology, adult.' }).waitFor()
    await page.getByText('The record, to keep beside the referral').click()
    expect(JSON.parse(await page.locator('details pre').innerText())).toMatchObject({ letterStored: false })
  })

  it('says why a reader has none', async () => {
    const { page } = await atFront()
    await readExample(page, 'unavailable-timeout-headache')
    await expect
      .poll(() => page.getByRole('region', { name: 'Reader B' }).innerText())
      .toContain('did not answer in time')
  })

  it('prints with its source and its hash, and without what stands around it', async () => {
    const page = await pageOf(null, { width: 680 })
    await page.goto('/')
    await readExample(page, 'cardiology-exertional-chest-tightness')
    await page.emulateMedia({ media: 'print' })
    for (const hidden of [page.getByRole('navigation'), letterText(page), readButton(page)])
      await expect.poll(() => hidden.first().isVisible()).toBe(false)
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/A reading by Countersign[^]+Yes: Cardiology[^]+SHA-256 of the file\s+[0-9a-f]{64}/)
    await expect.poll(() => overflowOf(page)).toBe(0)
  })
})

describe('a letter that is not sent', () => {
  it('holds an identifier: it is marked while it is typed, and hostile text stays text', async () => {
    const { page, requests } = await withKey()
    await letterText(page).fill('<img src=x onerror=alert(1)> 👩🏽‍⚕️ PPSN 1234567FA, born 01/01/1970')
    await expect
      .poll(() => page.locator('mark').allInnerTexts())
      .toEqual(['1234567FA PPS number', '01/01/1970 date of birth'])
    await page.getByRole('button', { name: 'Show the PPS number' }).click()
    await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('1234567FA')
    await readButton(page).click()
    await page
      .getByRole('status')
      .getByText('Nothing was sent: the letter holds a PPS number and a date of birth.')
      .waitFor({ state: 'attached' })
    expect(requests).toEqual([])
    await expect.poll(() => page.locator('main img').count()).toBe(0)
  })

  it('is marked in the same places as the service finds', async () => {
    const { page } = await atFront()
    const texts = EXAMPLES.filter(({ expected }) => expected.code === 'identifier_found').map(({ text }) => text)
    for (const text of [...texts, '👩🏽‍⚕️ 𝟏𝟐𝟑 me@practice.example 👩🏽‍⚕️ D02 AF30']) {
      await letterText(page).fill(text)
      await page.locator('mark').first().waitFor()
      const there = (await foundByService(text)).map(({ start, end }) => Array.from(text).slice(start, end).join(''))
      await expect.poll(() => page.locator('mark > span').allTextContents()).toEqual(there)
    }
  })

  it('is no example, and the key is one of the sandbox', async () => {
    const { page, requests } = await withKey()
    await letterText(page).fill('Dear Doctor, please see this man with palpitations.')
    await readButton(page).click()
    await page.getByText('Nothing was sent. A sandbox key reads the example letters only').waitFor()
    expect(requests).toEqual([])
  })

  it('is too long', async () => {
    const { page, requests } = await withKey(service.liveKey)
    await letterText(page).fill('a'.repeat(4_001))
    await page.getByText('1 character too many').waitFor()
    await readButton(page).click({ force: true })
    expect(requests).toEqual([])
  })
})

describe('a reading that fails', () => {
  it('marks what only the service found', async () => {
    const page = await pageOf(null, { provoked: refusedWith(422) })
    await answerReadWith(page, 422, {
      code: 'identifier_found',
      message: 'Found.',
      identifiers: [{ shape: 'date', start: 0, end: 4 }],
    })
    await page.goto('/')
    await useKey(page)
    await readButton(page).click()
    await page
      .getByRole('status')
      .getByText('Refused: the letter holds a date. Nothing of it is stored.')
      .waitFor({ state: 'attached' })
    await expect.poll(() => page.locator('mark').innerText()).toBe('Dear date')
  })

  it('is not shown under another letter, which was chosen meanwhile', async () => {
    const page = await pageOf(null)
    const [sent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**${READ}`, async (route) => {
      sent.resolve()
      await answer.promise
      await route.continue().catch(() => undefined)
    })
    await page.goto('/')
    await useKey(page)
    await readButton(page).click()
    await sent.promise
    await page.getByRole('button', { name: 'Readers differ' }).click()
    answer.resolve()
    await page.unroute(`**${READ}`)
    await readButton(page).click()
    await page.getByRole('heading', { name: 'Ask: the clinician chooses.' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { name: /^Yes/ }).count()).toBe(0)
  })

  it('says that the service could not be reached, and keeps the letter', async () => {
    const page = await pageOf(null)
    await page.route(`**${READ}`, (route) => route.abort())
    await page.goto('/')
    await useKey(page, service.liveKey)
    await letterText(page).fill('Dear Doctor, please see this man.')
    await readButton(page).click()
    await page.getByText('The service could not be reached.').waitFor()
    await expect.poll(() => letterText(page).inputValue()).toBe('Dear Doctor, please see this man.')
  })

  it('shows what the service says, with the request id', async () => {
    const page = await pageOf(null, { provoked: FAILING })
    await answerReadWith(page, 500, { code: 'internal_error', message: 'Something <b>failed</b>.' })
    await page.goto('/')
    await useKey(page)
    await readButton(page).click()
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toMatch(/Something <b>failed<\/b>\.[^]+req_of_this_test/)
  })

  it('leads nowhere but to the web by the address of a source', async () => {
    const page = await pageOf(null)
    await changeAnswers<{ source: object }>(page, '**/v1/waiting-lists?*', (lists) => ({
      ...lists,
      source: { ...lists.source, url: 'javascript:alert(1)', title: '<b>The source</b>' },
    }))
    await page.goto('/')
    await readExample(page, 'cardiology-exertional-chest-tightness')
    await page.getByText('<b>The source</b>').waitFor()
    await expect.poll(() => page.locator('a[href^="javascript:"]').count()).toBe(0)
  })
})

it('holds five actions, and says of each who holds it', async () => {
  const page = await pageOf(null, { provoked: refusedWith(409) })
  await page.goto('/')
  await useKey(page)
  for (const name of [
    'Choose a hospital',
    'Send the referral',
    'Set the urgency',
    'Rank by suitability',
    'Book an appointment',
  ]) {
    await page.getByRole('button', { name }).click()
    const held = page.getByRole('region', { name: `Held: ${name.toLowerCase()}` })
    await expect
      .poll(() => held.innerText())
      .toContain('The clinician writing the referral, and the service that receives it.')
  }
})

/** Asked by a live key, which refuses it before it would read it. */
async function foundByService(text: string): Promise<IdentifierFinding[]> {
  const response = await fetch(service.origin + READ, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  const { error } = (await response.json()) as { error: { identifiers: IdentifierFinding[] } }
  return error.identifiers
}
