// What keys, approvals and policies show only after somebody has done something there.
import type { PageState } from './pages.ts'

export const PREPARED_KEYS: readonly PageState[] = [
  {
    address: '/app/keys',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByText('Its end and limits of its own').click()
    },
  },
  {
    address: '/app/approvals?state=executed',
    state: 'full',
    prepare: async (page) => {
      await page.locator('tbody').getByRole('link').first().click()
      await page.getByRole('button', { name: 'Read the notes' }).click()
    },
  },
]
