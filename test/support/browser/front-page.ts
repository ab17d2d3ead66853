// Acts on the front page as a visitor does.
import type { Page } from 'playwright-core'
import { service } from './browser.ts'
import type { PageState } from './pages.ts'

/** As the link of `npm start` hands it over. */
export async function useKey(page: Page, key = service.sandboxKey): Promise<void> {
  await page.evaluate(`location.hash = 'key=${key}'`)
  await page.getByText('from your link').waitFor()
}

export const readButton = (page: Page) => page.getByRole('button', { name: 'Read the letter' })

export const letterText = (page: Page) => page.getByLabel('Text', { exact: true })

/** What then appears was asked for by a press, which a choice by the program alone would not be. */
export async function chooseExample(page: Page, id: string): Promise<void> {
  const letter = page.getByLabel('Letter', { exact: true })
  await letter.press('Tab')
  await letter.selectOption(id)
}

/** Until all that comes of it is there. */
export async function readExample(page: Page, id: string): Promise<void> {
  await useKey(page)
  await chooseExample(page, id)
  await readButton(page).click()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await page
    .getByRole('status')
    .filter({ hasText: /Yes|Ask|Held|Nothing/ })
    .waitFor({ state: 'attached' })
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** One letter for each result: readers agree, readers differ, an action is held, an identifier is present. */
export const PREPARED_FRONT: readonly PageState[] = [
  'cardiology-exertional-chest-tightness',
  'differ-adult-one-reader-none',
  'held-book-appointment',
  'identifier-phone-number',
].map((id) => ({
  address: '/',
  state: 'open',
  prepare: async (page) => {
    // The page opens with the key: none is asked for above the letter.
    await page.goto(`/?link#key=${service.sandboxKey}`)
    await readExample(page, id)
  },
}))
