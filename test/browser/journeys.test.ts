// Follows a newcomer to the end: a first reading, a first call with a checked record, an export checked offline.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { opened } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { mailedLink, newEmail } from '../support/browser/people.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-journeys-'))
afterAll(() => rm(folder, { recursive: true }))

/** Clicks, and returns the path of the file that the browser saves. */
async function saved(page: Page, what: Locator): Promise<string> {
  const saving = page.waitForEvent('download')
  await what.click()
  const download = await saving
  const file = join(folder, download.suggestedFilename())
  await download.saveAs(file)
  return file
}

/** The issuer's list of keys, as the checker's page offers it. */
async function saveKeys(page: Page): Promise<string> {
  await page.goto('/verify')
  await page.getByText('Where to get keys').click()
  return saved(page, page.getByRole('link', { name: 'Save the keys' }))
}

/** Gives both to the checker, and waits for its verdict. */
async function verdictOf(page: Page, document: string, keys: string): Promise<string> {
  const files = page.locator('input[type=file]')
  await files.first().setInputFiles(document)
  await files.nth(1).setInputFiles(keys)
  await page.getByRole('button', { name: 'Check it' }).click()
  return page.locator('#verdict h2').innerText()
}

/** Counts what the mouse presses on the page from now on. Returns the count. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0
  await page.exposeFunction('clicked', () => (clicks += 1))
  await page.addInitScript({ content: "addEventListener('pointerdown', () => { clicked() }, true)" })
  return () => clicks
}

describe('somebody new', () => {
  it('has a first letter read by the link that npm start prints', async () => {
    const page = await pageOf(null)
    await page.goto(`/#key=${service.sandboxKey}`)
    await page.getByRole('button', { name: 'Read the letter' }).click()
    await page.getByRole('heading', { name: /^Yes: / }).waitFor()
    await page.getByRole('heading', { name: 'Published waiting lists' }).waitFor()
  })

  it('signs up, makes a key, calls a model by the line beside it, and finds the record of that call valid', async () => {
    const page = await pageOf(null)
    const clicks = await countClicks(page)
    await page.goto('/')
    await page.getByRole('link', { name: 'Get started' }).click()
    const email = newEmail()
    await page.getByLabel('Your name').fill('Áine Ní Bhriain')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('a wet morning in late november')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    await page.goto(await mailedLink(email, 'confirm'))
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    await page.getByLabel('Name', { exact: true }).fill('A new practice')
    await page.getByRole('checkbox', { name: /^OpenAI/ }).check()
    await page.getByRole('button', { name: 'Create the organisation' }).click()

    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('A first key')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }')
    await page.getByRole('button', { name: 'Copy A first call with the key' }).click()
    const line = String(await page.evaluate('globalThis.copied'))
    const answer = join(folder, 'answer.json')
    await writeFile(answer, await answerTo(line))
    await page.getByText('First call arrived.').waitFor()
    // The link of the mail is one more, outside the page.
    expect(1 + clicks()).toBeLessThan(10)

    await saved(page, page.getByRole('button', { name: 'Save as .env' }))
    const keys = await saveKeys(page)
    await expect.poll(() => verdictOf(page, answer, keys)).toBe('Development key')
    const unchanged = page.getByText('nobody changed it since')
    await unchanged.waitFor()
    await writeFile(answer, (await readFile(answer, 'utf8')).replace('"ALLOWED"', '"BLOCKED"'))
    await expect.poll(() => verdictOf(page, answer, keys)).toBe('Not valid')
    await unchanged.waitFor({ state: 'detached' })
  })
})

describe('an auditor', () => {
  it('comes from the blocked calls of the last month to a file that is checked, in less than eight clicks', async () => {
    const page = await pageOf(service.filled.owner)
    const clicks = await countClicks(page)
    await page.goto('/app')
    await page.getByRole('link', { name: /^Blocked/ }).click()
    await page.locator('.filter-row .filter > button').first().click()
    await page.getByRole('link', { name: 'Last month' }).click()
    await page.getByRole('button', { name: 'Evidence of this list' }).click()
    const verifier = await opened(page, 'Open in Verify')
    await expect.poll(() => verifier.locator('#verdict h2').innerText()).toBe('Development key')
    expect(clicks()).toBeLessThan(8)
  })

  it('checks an export of the log, line by line, by the saved checker and with no network', async () => {
    const owner = await pageOf(service.filled.owner)
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    await owner.goto(`/app/exports?from=${day}&to=${day}`)
    const lines = await saved(owner, owner.getByRole('button', { name: 'Make the evidence file' }))
    const keys = await saveKeys(owner)
    const checker = await saved(owner, owner.getByRole('link', { name: 'Save the checker as one file' }))

    // Opened from the disk, the page itself is of another origin.
    const page = await pageOf(null, { provoked: /^request: file:/ })
    await page.context().setOffline(true)
    await page.goto(pathToFileURL(checker).href)
    await expect.poll(() => verdictOf(page, lines, keys)).toBe('Development key')
    const [head = '', , ...others] = (await readFile(lines, 'utf8')).split('\n')
    await writeFile(lines, [head, ...others].join('\n'))
    await expect.poll(() => verdictOf(page, lines, keys)).toBe('Not valid')
  })
})

/** Returns what a command line prints. Retries if wrangler's proxy lost the request (test/support/sending-again.ts). */
async function answerTo(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line])
  return stdout.startsWith('Error: Network connection lost.') ? answerTo(line) : stdout
}
