// /app/anomalies as people use it: the newest anomaly with its usual value and its explanation in place, comparisons with what they do not
// say, and what was looked for where nothing is found.
import { describe, expect, it } from 'vitest'
import { BiasDetectionSchema } from '../../src/management/bias/bias.schema.ts'
import { changeAnswers, pathsOf } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service, sessionOf } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { ask } from '../support/browser/people.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const HOSTILE = '<img/src=x/onerror=alert(1)>'
const REASON = 'A difference is a reason to look, not a finding of discrimination'
const { owner } = service.filled

const alarm = {
  kind: 'failed_rate',
  series: 'model:gpt-4.1-mini',
  since: '2026-11-18T09:00:00Z',
  value: 0.12,
  baseline: 0.02,
  statistic: 18.2,
  threshold: 14.1,
  change: 8,
}

const unusual = { ...alarm, alarms: [{ ...alarm, series: 'all' }, alarm] }

const quiet = { ...alarm, kind: 'volume', series: 'all', since: '2026-11-03', value: 9, baseline: 21, change: null }
const older = { ...quiet, alarms: [quiet] }

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
  adjusted: null,
  not_adjusted: 'too_few_like_calls',
  explained_by: [],
  verdict: 'disparity',
}

const hostileGroup = { group: HOSTILE, n: 100, k: 70, rate: 0.7, interval: [0.6, 0.78], dispersion: 1 }

/** As the service names what a statement answers (`alarmSubject`, docs/compare-groups.md). */
const ANOMALY = 'anomaly:failed_rate:model:gpt-4.1-mini:2026-11-18T09:00:00Z'
const DISPARITY = `disparity:cohort:answered:${HOSTILE}`

type Stated = { data: { subject: string; text: string; cause: string | null; date: string | null }[] }

/** Opens the page with two anomalies and a difference, which the demonstration has none of. */
async function openUnusual() {
  const page = await pageOf(owner)
  await changeAnswers(page, '**/api/compliance/bias-detection*', (detection) => {
    const { groups } = BiasDetectionSchema().parse(detection)
    return BiasDetectionSchema().parse({
      ...detection,
      anomalies: [older, unusual],
      groups: [...groups, hostileGroup],
      comparisons: [disparity],
    })
  })
  return open(page, '/app/anomalies')
}

describe('bias detection', () => {
  it('has at most 300 words, with its statistics folded', async () => {
    const page = await openUnusual()
    await settled(page)
    const text = await page.getByRole('main').innerText()
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(300)
  })

  it('compares by what the address says, each result a word with its meaning, and says what none of it shows', async () => {
    const page = await open(owner, '/app/anomalies')
    await page.getByRole('button', { name: 'Group by' }).click()
    await page.getByRole('link', { name: 'model', exact: true }).click()
    await page.getByRole('button', { name: 'Measure' }).click()
    await page.getByRole('link', { name: 'failed or interrupted' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?by=model&outcome=failed')
    await expect.poll(() => page.getByText('Share of calls failed or interrupted').count()).toBe(1)
    await settled(page)
    await expect.poll(() => page.locator('main').innerText()).toContain(REASON)
    const words = await page
      .getByRole('region', { name: 'Groups and their shares' })
      .locator('tbody .badge')
      .allInnerTexts()
    expect(words).toContain('Reference')
    expect(['Reference', 'Differs', 'Uncertain', 'Similar', 'Too few calls']).toEqual(expect.arrayContaining(words))
    await page.getByText('Results and statistics').click()
    await expect.poll(() => page.locator('dt', { hasText: words.at(-1) ?? '' }).count()).toBe(1)
    await page.getByRole('region', { name: 'Each group against the reference' }).waitFor()
  })

  it('says what will be here, and from how many calls on, where no call is in a group', async () => {
    const page = await pageOf(ownerOn('healthcare'))
    await page.goto('/app/anomalies')
    await expect
      .poll(() => page.locator('.empty h2, .body h3').allInnerTexts())
      .toEqual(['None was found in these days', 'No call of these days is in a group'])
    await expect.poll(() => page.locator('main').innerText()).toContain('500 calls')
    await expect.poll(() => page.locator('main').innerText()).toContain(REASON)
  })

  it('opens the newest anomaly with its usual value, its calls and what changed around then; its explanation closes it', async () => {
    const page = await openUnusual()
    const card = page.getByRole('region', { name: 'gpt-4.1-mini fails more often' })
    await expect.poll(() => card.innerText()).toMatch(/Since 18 Nov 2026, 09:00 UTC[^]*12%[^]*usual: 2%/)
    await card.getByText('How it was found').click()
    await card.getByText('2%, from the 28 days before').waitFor()
    await expect.poll(() => page.locator('main').innerText()).toContain('2 new.')
    await expect
      .poll(() => card.getByRole('link', { name: 'all calls' }).getAttribute('href'))
      .toBe('/app/calls?from=2026-11-18&to=2026-11-24&outcome=failed')
    await expect.poll(() => card.innerText()).toMatch(/Around then\s+(?:Nothing changed|Policy|Key)/)
    await expect
      .poll(() => card.getByRole('link', { name: 'See the failed calls' }).getAttribute('href'))
      .toBe('/app/calls?from=2026-11-18&to=2026-11-24&outcome=failed&model=gpt-4.1-mini')
    await expect.poll(() => page.locator('main section h2').allInnerTexts()).toContain('Fewer calls than usual')
    await expect.poll(() => page.getByLabel('What happened').count()).toBe(1)

    await card.getByRole('button', { name: 'Our change' }).click()
    await card.getByLabel('What happened').fill('It was looked into.')
    await card.getByLabel('What you looked at').fill('The calls.')
    await card.getByLabel('Over since').fill('2026-11-20')
    await card.getByRole('button', { name: 'Add explanation' }).click()
    await page.getByText('Explained', { exact: true }).click()
    await expect
      .poll(() => page.locator('blockquote').innerText())
      .toMatch(/^Cause: our change\.\s+It was looked into\.[^]*over since 20 Nov/)
    const session = await sessionOf(owner)
    const stated = await ask<Stated>('GET', '/api/compliance/statements', undefined, session)
    expect(stated.data.find(({ subject }) => subject === ANOMALY)).toMatchObject({
      cause: 'own_change',
      text: 'It was looked into.',
      date: '2026-11-20',
    })

    await page.getByRole('button', { name: 'Change it (explanation of gpt-4.1-mini fails more often)' }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByLabel('What happened').inputValue()).toBe('It was looked into.')
    await expect.poll(() => dialog.locator('[aria-pressed=true]').innerText()).toBe('Our change')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Remove of gpt-4.1-mini fails' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await card.waitFor()
  })

  it('is explained by an explanation of any series that it was seen in', async () => {
    const session = await sessionOf(owner)
    const path = `/api/compliance/statements/${encodeURIComponent('anomaly:failed_rate:all:2026-11-18T09:00:00Z')}`
    await ask('PUT', path, { text: 'An outage of the provider.', looked_at: 'The calls.' }, session)
    const page = await openUnusual()
    await expect.poll(() => page.locator('main').innerText()).toContain('1 new.')
    await page.getByText('Explained', { exact: true }).click()
    const explained = page.locator('details:has(h2) li')
    await expect
      .poll(() => explained.innerText())
      .toMatch(/^gpt-4.1-mini fails[^]*Also seen in: all calls[^]*An outage/)
    await explained.getByRole('button', { name: 'Remove of Calls fail more often' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => page.locator('main').innerText()).toContain('2 new.')
  })

  it('keeps what was written where an explanation is refused', async () => {
    const page = await openUnusual()
    await page.route('**/api/compliance/statements/*', (route) => route.abort())
    await page.getByLabel('What happened').fill('It was looked into.')
    await page.getByLabel('What you looked at').fill('The calls.')
    await page.getByRole('button', { name: 'Add explanation' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Nothing you typed is lost')
    await expect.poll(() => page.getByLabel('What happened').inputValue()).toBe('It was looked into.')
  })

  it('takes the explanation of a difference, and shows the name of its group as text', async () => {
    const page = await openUnusual()
    await page.getByRole('button', { name: 'Add an explanation of the difference' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What happened').fill('It was looked into.')
    await dialog.getByLabel('What you looked at').fill('The calls.')
    await dialog.getByRole('button', { name: 'Add explanation' }).click()
    // By the service itself, which takes a subject in no other form than the one that answers it.
    await page.getByRole('button', { name: 'Remove of the difference' }).waitFor()
    const session = await sessionOf(owner)
    const stated = await ask<Stated>('GET', '/api/compliance/statements', undefined, session)
    expect(stated.data.map(({ subject }) => subject)).toContain(DISPARITY)
    await ask('DELETE', `/api/compliance/statements/${encodeURIComponent(DISPARITY)}`, undefined, session)
    await expect.poll(() => page.locator('img').count()).toBe(0)
  })

  it.each([
    ['?from=2026-11-20&to=2026-11-01', 'The first day is after the last one'],
    ['?from=2020-01-01', 'more than 92 days'],
  ])('says of %s what is wrong with the days, and does not ask', async (search, words) => {
    const page = await pageOf(owner)
    const asked = pathsOf(page)
    await open(page, `/app/anomalies${search}`)
    await page.getByText(words).waitFor()
    expect(asked.filter((path) => path.includes('bias-detection'))).toEqual([])
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.getByRole('heading', { name: /^Differences by/ }).waitFor()
  })

  it('leaves out of the address what the service does not know, and groups approvals by key', async () => {
    const page = await open(owner, '/app/anomalies?by=evil&outcome=zz&from=junk')
    await page.getByRole('heading', { name: 'Differences by comparison group' }).waitFor()
    await open(page, '/app/anomalies?outcome=approved')
    await page.getByRole('heading', { name: 'Differences by key' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  it('says of a group that has no calls what to do', async () => {
    const page = await pageOf(owner, { provoked: refusedWith(400) })
    await page.goto('/app/anomalies?reference=nobody')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('has no calls on these days')
  })
})
