// /app/anomalies as people use it: comparisons with what they do not say, and what was unusual with a way to its calls.
import { describe, expect, it } from 'vitest'
import { BiasDetectionSchema } from '../../src/management/bias/bias.schema.ts'
import { changeAnswers } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const HOSTILE = '<img/src=x/onerror=alert(1)>'
const REASON = 'A difference is a reason to look, not a finding of discrimination'
const { owner } = service.filled

const unusual = {
  kind: 'failed_rate',
  series: 'model:gpt-4.1-mini',
  since: '2026-11-18T09:00:00Z',
  value: 0.12,
  baseline: 0.02,
  statistic: 18.2,
  threshold: 14.1,
}

const disparity = {
  group: HOSTILE,
  reference: 'lang-en',
  difference: -0.2,
  difference_interval: [-0.25, -0.15],
  ratio: 0.75,
  ratio_interval: [0.7, 0.79],
  unfavourable_ratio: 2.1,
  unfavourable_ratio_interval: [1.8, 2.4],
  p: 0.0001,
  p_adjusted: 0.0002,
  verdict: 'disparity',
}

/** As the service names what a statement answers (`anomalySubject`, docs/bias-detection.md). */
const SUBJECTS = ['anomaly:failed_rate:model:gpt-4.1-mini:2026-11-18T09:00:00Z', `disparity:cohort:answered:${HOSTILE}`]

describe('bias detection', () => {
  it('compares by what the address says, with the intervals in a table, the very words of verdicts, and what none of it says', async () => {
    const page = await open(owner, '/app/anomalies')
    await page.getByLabel('Groups').selectOption('model')
    await page.getByLabel('What is compared').selectOption('failed')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?by=model&outcome=failed')
    await expect.poll(() => page.getByRole('heading', { name: 'Failed at the provider, by model' }).count()).toBe(1)
    await settled(page)
    await expect.poll(() => page.locator('main').innerText()).toContain(REASON)
    const words = await page
      .getByRole('region', { name: 'Each group beside the reference' })
      .locator('.badge')
      .allInnerTexts()
    expect(words.length).toBeGreaterThan(0)
    expect(['not_enough_data', 'disparity', 'within', 'uncertain']).toEqual(expect.arrayContaining(words))
    await page.getByText('The same figures as a table').click()
    await page
      .getByRole('cell', { name: / to .*%/ })
      .first()
      .waitFor()
  })

  it('says what to do where no call is in a group', async () => {
    const page = await pageOf(ownerOn('healthcare'))
    await page.goto('/app/anomalies')
    await expect
      .poll(() => page.locator('.empty h2').allInnerTexts())
      .toEqual(['No call of these days is in a group', 'Nothing unusual began in these days'])
    await expect.poll(() => page.locator('main').innerText()).toContain(REASON)
  })

  it('shows what was expected and seen, leads to its calls, and takes the word of a person who has looked', async () => {
    const page = await pageOf(owner)
    await changeAnswers(page, '**/api/compliance/bias-detection*', (detection) =>
      BiasDetectionSchema.parse({ ...detection, anomalies: [unusual], comparisons: [disparity] }),
    )
    await open(page, '/app/anomalies')
    const row = page.getByRole('region', { name: 'What was unusual' }).locator('tbody tr')
    await expect
      .poll(() => row.innerText())
      .toMatch(/failed rate of model gpt-4.1-mini[^]*18 Nov 2026, 09:00 UTC[^]*2%[^]*12%/)
    await expect
      .poll(() => row.getByRole('link').getAttribute('href'))
      .toBe('/app/calls?from=2026-11-18&to=2026-11-24&model=gpt-4.1-mini')
    await expect
      .poll(() => page.getByRole('region', { name: 'Each group beside' }).innerText())
      .toContain('0.75 (0.7 to 0.79)')
    for (const what of ['the anomaly', 'the disparity']) {
      await page.getByRole('button', { name: `State something about ${what}` }).click()
      await page.getByLabel('What you state').fill('It was looked into.')
      await page.getByRole('button', { name: 'State it' }).click()
      // By the service itself, which takes a subject in no other form than the one that answers it.
      await page.getByRole('button', { name: `State something else about ${what}` }).waitFor()
    }
    const session = await sessionOf(owner)
    const stated = await ask<{ data: { subject: string }[] }>('GET', '/api/compliance/statements', undefined, session)
    expect(stated.data.map(({ subject }) => subject)).toEqual(expect.arrayContaining(SUBJECTS))
    for (const subject of SUBJECTS) {
      await ask('DELETE', `/api/compliance/statements/${encodeURIComponent(subject)}`, undefined, session)
    }
    await expect.poll(() => page.locator('img').count()).toBe(0)
  })

  it('says of a group that has no calls what to do', async () => {
    const page = await pageOf(owner, { provoked: refusedWith(400) })
    await page.goto('/app/anomalies?reference=nobody')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('has no calls on these days')
  })
})
