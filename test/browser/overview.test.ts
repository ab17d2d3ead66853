// The first page of the dashboard.
import { describe, expect, it } from 'vitest'
import { abortFirst, changeAnswers, pathsOf, showRole } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const of = (tier: string) => service.owners[tier] ?? service.filled.owner

describe('the overview', () => {
  it('lists the last calls in a tier without figures, says which tier has them, and shows the rest', async () => {
    const page = await open(of('free'), '/app')
    await page.getByRole('heading', { name: 'Your last calls' }).waitFor()
    await expect.poll(() => page.locator('main').textContent()).toContain('The tiers with analytics: starter')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  })

  it('says what failed, under which request, and is there once it is asked again', async () => {
    const page = await pageOf(of('pro'))
    await abortFirst(page, '**/api/analytics/costs?*')
    await open(page, '/app')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The service could not be reached')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'No calls in the last 30 days' }).waitFor()
  })

  it('asks for no figures where a role has none', async () => {
    const page = await pageOf(of('pro'))
    const asked = pathsOf(page)
    await showRole(page, 'clinician')
    await open(page, '/app')
    await expect.poll(() => page.locator('main').textContent()).toContain('What you can do here')
    expect(asked.filter((path) => /analytics|keys|members/.test(path))).toEqual([])
  })

  it('leads whoever is in no organisation to founding one', async () => {
    const page = await pageOf(of('pro'))
    await changeAnswers(page, '**/api/auth/me', (user) => ({ ...user, organisations: [] }))
    await open(page, '/app')
    await expect
      .poll(() => page.getByRole('link', { name: 'Found an organisation' }).getAttribute('href'))
      .toBe('/app/organisation')
  })
})

describe('the figures of 30 days', () => {
  it('are the same in the sums, the sentence, the chart and the table', async () => {
    const page = await open(service.filled.owner, '/app')
    const figures = page.getByRole('region', { name: 'The last 30 days' })
    const total = /Requests ([\d,]+)/.exec((await figures.textContent()) ?? '')?.[1] ?? ''
    const chart = page.locator('figure').filter({ hasText: 'How calls ended' })
    await expect.poll(() => chart.locator('figcaption').textContent()).toContain(`${total} calls from `)
    const counts = await chart.locator('tbody tr td:nth-of-type(1)').allTextContents()
    expect(counts).toHaveLength(30)
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(total.replaceAll(',', '')))
  })

  it('are solid on a screen, and in forced colours and on paper each mark has a pattern of its own', async () => {
    const page = await open(service.filled.owner, '/app')
    const fills = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.legend rect')].map((mark) => getComputedStyle(mark).fill)",
      )
    await expect.poll(async () => (await fills()).length).toBe(5)
    expect((await fills()).filter((fill) => fill.startsWith('url('))).toEqual([])
    for (const media of [{ forcedColors: 'active' }, { forcedColors: 'none', media: 'print' }] as const) {
      await page.emulateMedia(media)
      const patterns = (await fills()).map((fill) => /^url\("#(.+)"\)/.exec(fill)?.[1])
      const drawn = await Promise.all(patterns.map((id) => page.locator(`[id="${id}"]`).innerHTML()))
      expect(new Set(drawn).size).toBe(5)
    }
  })

  it('are totals until a day is chosen by keyboard or pointer, and totals again after it', async () => {
    const page = await open(service.filled.owner, '/app')
    const slider = page.getByRole('slider')
    const chart = page.locator('figure').filter({ has: slider })
    const legend = () => chart.locator('.legend').innerText()
    const totals = await legend()
    expect(totals).toContain('In all')
    const rows = chart.locator('details tbody tr')
    await slider.press('Home')
    await slider.press('ArrowRight')
    const day = (await rows.nth(1).locator('th').textContent()) ?? ''
    const [, passed = ''] = await rows.nth(1).locator('td').allTextContents()
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(`${day}: Passed: ${passed}, `)
    await expect.poll(legend).toContain(day)
    for (const key of ['End', 'ArrowRight', 'PageUp']) await slider.press(key)
    await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe('29')
    await slider.blur()
    await expect.poll(legend).toBe(totals)
    await slider.hover()
    await expect.poll(legend).not.toBe(totals)
    await page.getByRole('heading', { level: 1 }).hover()
    await expect.poll(legend).toBe(totals)
  })

  it('mark the day that has not ended', async () => {
    const page = await open(service.filled.owner, '/app')
    await page.locator('.plot').getByText('Today, so far').waitFor()
  })
})

describe('the first steps', () => {
  it('are done as the organisation does them, and a page that was opened is called no more than that', async () => {
    const page = await open(of('healthcare'), '/app')
    const steps = page.getByRole('region', { name: 'First steps' })
    const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name })
    await expect.poll(() => step('Create a key').textContent()).toContain('Done')
    await expect.poll(() => step('See it in the list of calls').textContent()).toContain('To do')
    await steps.getByRole('link', { name: 'See it in the list of calls' }).click()
    await page.waitForURL('**/app/calls')
    await open(page, '/app')
    await expect.poll(() => step('See it in the list of calls').textContent()).toContain('Opened')
  })

  it('lead nowhere that the tier does not include', async () => {
    const page = await open(of('pro'), '/app')
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('link', { name: 'Verify a receipt' }).waitFor()
    await expect.poll(() => steps.getByRole('link', { name: 'See it in the list of calls' }).count()).toBe(0)
  })

  it('are gone where an organisation is no longer new', async () => {
    const page = await open(service.filled.owner, '/app')
    await page.getByRole('region', { name: 'The last 30 days' }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
  })
})
