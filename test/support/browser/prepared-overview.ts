// States of the frame, the overview and analytics that show only after an action.
import type { PageState } from './pages.ts'

export const PREPARED_OVERVIEW: readonly PageState[] = [
  { address: '/app', state: 'full', prepare: (page) => page.keyboard.press('/') },
  { address: '/app', state: 'full', prepare: (page) => page.keyboard.press('?') },
  { address: '/app', state: 'full', prepare: (page) => page.getByRole('button', { name: / account of / }).click() },
  {
    address: '/app/analytics?group=model',
    state: 'full',
    prepare: async (page) => {
      for (const details of await page.locator('summary').all()) await details.click()
      // A click may scroll to where the head of the page covers half of a link.
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  { address: '/app/analytics?group=key&show=tokens', state: 'full' },
  {
    address: '/app/analytics',
    state: 'full',
    prepare: (page) => page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Use case' }).click(),
  },
]
