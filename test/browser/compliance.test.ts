// /app/compliance as people use it: the score with its list, statements by people, and reports to read, to check and to save.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf, saved, showRole } from '../support/browser/acts.ts'
import { ownerOn, pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

type Evident = { id: string; evidence: object }
type Reported = { score: object; decisions: object[]; controls: Evident[] }

const HOSTILE = '<img src=x onerror=alert(1)>'
const { owner } = service.filled

describe('compliance', () => {
  it('shows the score only together with all of its controls, the day of its law, and what it cannot show', async () => {
    const page = await open(owner, '/app/compliance')
    const all = page.getByRole('region', { name: '34 controls' })
    await all.getByText('By name').click()
    await expect.poll(() => all.getByRole('listitem').count()).toBe(34)
    await all.getByText(/\d+ of 30 had data/).waitFor()
    const score = (): Promise<string> => page.getByRole('region', { name: 'Score' }).innerText()
    await expect.poll(score).toMatch(/\d+%[^]*\d+ of \d+ points by weight/)
    await expect
      .poll(() => page.locator('#lead').innerText())
      .toMatch(/34 controls[^]*law as of \d+ \w+ 2026\. No legal advice/)
    await expect.poll(() => page.getByRole('heading', { name: 'What this cannot show' }).count()).toBe(1)
    await changeAnswers<{ score: object }>(page, '**/api/compliance/score*', (answer) => ({
      ...answer,
      score: { ...answer.score, percent: null, calls: 3 },
    }))
    await page.reload()
    await expect
      .poll(score)
      .toMatch(/None yet[^]*It needs 100 calls in 30 days\. So far\s3\.[^]*To prepare[^]*Do not apply yet/)
    await page
      .getByText(
        /\d fail now\. \d to prepare before the score, which needs 100 calls\. A report counts them as failing/,
      )
      .waitFor()
  })

  it('counts what fails as it lists it, the most important first, each with one act that leads to its place', async () => {
    const page = await open(owner, '/app/compliance?state=unknown')
    await page.getByRole('region', { name: '34 controls' }).waitFor()
    const failing = page.getByRole('region', { name: /controls? fails?/ })
    const score = page.getByRole('region', { name: 'Score' })
    const fail = score.getByRole('link', { name: /^Fail\b/ })
    const count = Number(/\d+/.exec(await fail.innerText())?.[0])
    const more = failing.getByText(/^\d+ more$/)
    if (count > 4) await more.click()
    await expect.poll(() => failing.getByRole('listitem').count()).toBe(count)
    const weights = (await failing.getByText(/weight \d/).allInnerTexts()).map((text) =>
      Number(/weight (\d)/.exec(text)?.[1]),
    )
    expect(weights).toEqual(weights.toSorted((one, other) => other - one))
    await fail.click()
    await expect.poll(() => fail.innerText()).toContain('Listed below')
    const listed = page.getByRole('region', { name: `${count} of 34 controls` })
    await expect.poll(() => listed.getByRole('listitem').count()).toBe(count)
    await listed.getByRole('link', { name: 'Show all' }).click()
    await failing.getByRole('link', { name: 'Set the data region for control D1' }).click()
    await page.waitForURL(/\/app\/policies#data_region$/)
    await showRole(page, 'auditor')
    await open(page, '/app/compliance')
    if (count > 4) await more.click()
    await failing.getByText('For owner and admin').first().waitFor()
    await expect.poll(() => failing.getByRole('link', { name: 'Set the data region' }).count()).toBe(0)
  })

  it('has at most 450 words, and has the score of the latest report', async () => {
    const page = await open(owner, '/app/compliance')
    await page.getByText(/\d+% in the report of \d/).waitFor()
    const text = await page.getByRole('main').innerText()
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(450)
    await page.route('**/api/compliance/score', async (route) => {
      const response = await route.fetch()
      const score = (await response.json()) as object
      await route.fulfill({ response, json: { ...score, checklist: '2000-01-01' } })
    })
    await page.reload()
    await page.getByText(/\d+% in the report of \d.+, by another checklist/).waitFor()
  })

  it('says what is wrong with the key that signs, from the evidence of the control', async () => {
    const page = await open(owner, '/app/compliance')
    const failing = page.getByRole('region', { name: /controls? fails?/ })
    await failing.getByText('The signing key is for development').waitFor()
    await changeAnswers<{ controls: Evident[] }>(page, '**/api/compliance/score*', ({ controls, ...score }) => ({
      ...score,
      controls: controls.map((control) =>
        control.id === 'K1'
          ? {
              ...control,
              evidence: { ...control.evidence, values: { made_for_development: false, keys_outside_their_time: [] } },
            }
          : control,
      ),
    }))
    await page.reload()
    await failing.getByText('The signing key is not published as in force').waitFor()
  })

  it('says how many anomalies are open, and what ends them, in the same words on paper and in the drawer', async () => {
    const page = await pageOf(owner)
    const values = { tier: 'healthcare', in_tier: true, days_ago: 0, found: 4, unexplained: 4, without_statement: [] }
    await changeAnswers<{ controls: Evident[] }>(page, '**/api/compliance/score*', ({ controls, ...score }) => ({
      ...score,
      controls: controls.map((control) =>
        control.id === 'M1' ? { ...control, state: 'fail', evidence: { ...control.evidence, values } } : control,
      ),
    }))
    await open(page, '/app/compliance')
    await page.getByRole('region', { name: '34 controls' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByText('4 anomalies are open').waitFor()
    await page.getByText('Groups are compared, and do not differ').waitFor()
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('link', { name: /^M1/ }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Control M1' })
    await drawer.getByText('Comparisons of the last 31 days, and their anomalies.').waitFor()
    await drawer.getByText('anomalies leave the list as time passes').waitFor()
    await expect.poll(() => drawer.getByText(/tier/i).count()).toBe(0)
  })

  it('opens a control by its name with what was looked at, under an address of its own', async () => {
    const page = await open(owner, '/app/compliance')
    await page.getByText('By name').click()
    await page.getByRole('link', { name: 'Costs are measured' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?control=L8')
    await page.getByRole('dialog', { name: 'Control L8' }).getByText('What keeps it passing').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('says what a control found in words and in the form of times of the pages, by a code of the grid, too', async () => {
    const page = await pageOf(owner)
    await changeAnswers<{ controls: Evident[] }>(page, '**/api/compliance/score*', ({ controls, ...score }) => ({
      ...score,
      controls: controls.map((control) =>
        control.id === 'L4'
          ? {
              ...control,
              evidence: {
                ...control.evidence,
                values: { latest: '2026-11-26T09:24:03.978Z', act: 'compliance.audit_export', days_ago: 0 },
              },
            }
          : control,
      ),
    }))
    await open(page, '/app/compliance')
    await page.getByRole('region', { name: '34 controls' }).getByRole('link', { name: /^L4/ }).click()
    const text = await page.getByRole('dialog', { name: 'Control L4' }).innerText()
    expect(text).toContain('26 Nov 2026, 09:24:03 UTC')
    expect(text).toMatch(/What was made\s+Evidence file/)
    expect(text).not.toMatch(/ledger|compliance\.|\/api\//)
  })

  it('shows no number where the list of its controls could not be had', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/compliance/score*', (route) => route.abort())
    await page.goto('/app/compliance')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('could not be reached')
    const shown = page.getByRole('region', { name: /^Score$|^34 controls$/ })
    await expect.poll(() => shown.count()).toBe(0)
    await page.unroute('**/api/compliance/score*')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await expect.poll(() => shown.count()).toBe(2)
  })

  it('says of a list that is none that it did not come whole, instead of waiting for it', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/compliance/reports?*', (route) => route.fulfill({ json: {} }))
    await page.goto('/app/compliance')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('did not come whole')
  })

  it('takes the explanation of a control, shows it as text, and removes it', async () => {
    const page = await open(ownerOn('healthcare'), '/app/compliance?control=X2')
    const control = page.getByRole('dialog', { name: 'Control X2' })
    await control.getByRole('button', { name: 'Add an explanation' }).click()
    await page.getByLabel('What happened').fill(HOSTILE)
    await page.getByLabel('What you looked at').fill('The register.')
    await page.getByLabel('Day').fill('2026-11-02')
    await page.getByRole('button', { name: 'Add explanation' }).click()
    await expect.poll(() => control.locator('blockquote').innerText()).toContain(HOSTILE)
    await expect.poll(() => control.locator('blockquote').innerText()).toMatch(/By you, .*about 2 Nov 2026/)
    await expect.poll(() => page.locator('img').count()).toBe(0)
    await control.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog', { name: 'Remove the explanation' }).getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => control.locator('blockquote').count()).toBe(0)
  })

  it('says why a statement is refused, and keeps what was written', async () => {
    const page = await open(owner, '/app/compliance')
    await page.getByLabel('Trace of a call').fill('tr_1')
    await page.getByRole('button', { name: 'Mark as incident' }).click()
    await page.getByText('A trace id is tr_ and 32 digits').waitFor()
    await page.getByLabel('Trace of a call').fill(`tr_${'a'.repeat(32)}`)
    await page.getByRole('button', { name: 'Mark as incident' }).click()
    await page.route('**/api/compliance/statements/*', (route) => route.abort())
    await page.getByLabel('What happened').fill('It was looked into.')
    await page.getByLabel('What you looked at').fill('The call.')
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as incident' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Nothing you typed is lost')
    await expect.poll(() => page.getByLabel('What happened').inputValue()).toBe('It was looked into.')
  })

  it('makes a report, opens it with its hash checked here, and saves it as PDF and as the bytes of that hash', async () => {
    const page = await open(ownerOn('healthcare'), '/app/compliance')
    await page.getByRole('button', { name: 'Make a report' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a report' })
    await expect
      .poll(() => dialog.getByLabel('To', { exact: true }).inputValue())
      .toBe(new Date().toISOString().slice(0, 10))
    await dialog.getByRole('button', { name: 'Make the report' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('report')).toMatch(/^rep_/)
    await expect.poll(() => page.getByText('same hash').count()).toBe(1)
    await expect
      .poll(async () => (await page.locator('article h3').allInnerTexts()).slice(0, 3))
      .toEqual(['To be decided', 'Since the last report', 'The three largest risks'])
    await expect
      .poll(() => page.getByRole('region', { name: 'Since the last report' }).innerText())
      .toContain('This is the first report')
    await expect.poll(() => page.getByRole('article').innerText()).toMatch(/controls had data[^]*To be decided/)
    const evidence = page.getByText('Members by their strongest second factor')
    await expect.poll(() => evidence.isVisible()).toBe(false)
    const named = await page.locator('dt:text-is("SHA-256, found here") + dd .hash').innerText()
    const { bytes } = await saved(page, 'Save as JSON')
    expect(named).toContain(createHash('sha256').update(bytes).digest('hex'))
    expect((await saved(page, 'Save as PDF')).text.slice(0, 5)).toBe('%PDF-')
    await page.emulateMedia({ media: 'print' })
    // As a browser does before it prints.
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await expect.poll(() => page.locator('.paper-head').innerText()).toMatch(/\/app\/compliance\?.*report=rep_/)
    await evidence.waitFor()
    await page.emulateMedia({ media: 'screen' })
    await changeAnswers<Reported>(page, '**/api/compliance/report/rep_*', ({ score, decisions, ...report }) => ({
      ...report,
      decisions,
      controls: report.controls.map((control) => (control.id === 'M1' ? { ...control, state: 'fail' } : control)),
      score: { ...score, failed: decisions.length + 1 },
    }))
    await page.reload()
    await page.getByText('The checklist below has 1 other control that fails.').waitFor()
    await page
      .getByRole('row', { name: 'M1 ' })
      .getByText('Somebody runs a comparison at least every 31 days and no anomaly is found')
      .waitFor()
    await page.getByRole('link', { name: 'The checklist and all reports' }).click()
    await expect.poll(() => page.locator('[data-row]').first().textContent()).toMatch(/\d\d:\d\d.* to .*, made by you/)
  })

  it('asks for no reports in a tier without them, and shows the checklist all the same', async () => {
    const page = await pageOf(ownerOn('free'))
    const asked = pathsOf(page)
    await open(page, '/app/compliance')
    await expect
      .poll(() =>
        page
          .getByRole('region', { name: '34 controls' })
          .getByRole('link', { name: /^[A-Z]\d/ })
          .count(),
      )
      .toBe(34)
    await expect.poll(() => page.getByRole('button', { name: 'Make a report' }).count()).toBe(0)
    expect(asked.filter((path) => path.includes('reports'))).toEqual([])
    await changeAnswers<{ controls: Evident[] }>(page, '**/api/compliance/score*', ({ controls, ...score }) => ({
      ...score,
      controls: controls.map((control) => (/^[HM]1$/.test(control.id) ? { ...control, state: 'fail' } : control)),
    }))
    await page.reload()
    const failing = page.getByRole('region', { name: 'What to do first' })
    await failing.getByRole('link', { name: 'Block them for control H1' }).waitFor()
    await failing.getByText('1 not in the Free tier').click()
    await failing.getByText('Anomalies are not looked into').waitFor()
    await expect
      .poll(() => failing.getByRole('link', { name: 'From Healthcare on' }).getAttribute('href'))
      .toBe('/tiers')
    await failing.getByRole('button', { name: 'Ask for Healthcare' }).waitFor()
    await page.getByRole('link', { name: /^M1\s*, is not in your tier/ }).waitFor()
  })
})
