// The address of the page of calls: what others wrote into it, and what is copied from it.
import { describe, expect, it } from 'vitest'
import { pathsOf } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const { owner } = service.filled

describe('an address that somebody wrote', () => {
  it('is read as far as it is known, and the service is asked for nothing else', async () => {
    const page = await open(owner, '/app/calls?outcome=evil&rule=none&key=1&use_case=A%20B&from=2026-02-30&to=soon')
    await expect
      .poll(() => page.getByRole('group', { name: 'Outcome' }).locator('[aria-current=true]').innerText())
      .toMatch(/^All/)
    await page.getByRole('button', { name: 'Last 30 days' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => page.locator('[data-row] a').count()).toBeGreaterThan(10)
  })

  it('with days in the wrong order is told so, and leads to the last 30 days', async () => {
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, '/app/calls?from=2026-11-20&to=2026-11-01')
    await page.getByText('The first day is after the last one.').waitFor()
    expect(asked.filter((path) => path.startsWith('/api/calls') || path.startsWith('/api/analytics'))).toEqual([])
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.locator('[data-row] a').first().waitFor()
  })

  it('names the organisation where it is copied, since others may be in several', async () => {
    const page = await open(owner, '/app/calls?outcome=blocked')
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }')
    await page.locator('[data-row] a').first().click()
    await page.getByRole('button', { name: 'Link to this call' }).click()
    const copied = new URL(await page.evaluate<string>('globalThis.copied'))
    expect(copied.searchParams.get('org')).toMatch(/^org_/)
    expect(copied.searchParams.get('id')).toBe(new URL(page.url()).searchParams.get('id'))
  })
})
