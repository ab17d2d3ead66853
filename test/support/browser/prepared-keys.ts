// Pages of keys, approvals and policies, in states that show only after an action.
import type { PageState } from './pages.ts'

export const PREPARED_KEYS: readonly PageState[] = [
  {
    address: '/app/keys?create=key',
    state: 'full',
    prepare: async (page) => {
      await page.getByLabel('Expires after').selectOption('day')
      await page.getByLabel('Last day').fill('2099-12-31')
    },
  },
  {
    address: '/app/keys',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Discharge letters' }).click()
      await page.getByRole('region', { name: 'Rules for this key' }).waitFor()
    },
  },
  {
    address: '/app/approvals?state=executed',
    state: 'full',
    prepare: async (page) => {
      await page.locator('tbody').getByRole('link').first().click()
      await page.getByText('Development key: unchanged').waitFor()
      await page.getByRole('button', { name: 'Read the reasons' }).click()
    },
  },
  { address: '/app/policies?version=3', state: 'full' },
  {
    address: '/app/policies',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('button', { name: /: Approval by people/ }).click()
      await page.getByLabel('A request expires after', { exact: true }).fill('3')
      await page.getByRole('button', { name: 'Put in force' }).click()
      await page.getByText('Then', { exact: true }).waitFor()
    },
  },
  {
    address: '/app/policies?view=json',
    state: 'full',
    prepare: async (page) => {
      const field = page.getByLabel('The policy as JSON')
      const document = JSON.parse(await field.inputValue()) as object
      await field.fill(JSON.stringify({ ...document, use_case_guard: { allow: ['none-of-theirs'] } }))
      await page.getByRole('button', { name: /^Try/ }).click()
      await page.getByRole('link', { name: 'would end differently' }).waitFor()
    },
  },
]
