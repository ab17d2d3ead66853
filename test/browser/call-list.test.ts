// The list of /app/calls while it stays open: what comes since, how its rows change, and why each call ended so.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, pathsOf } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'

const { owner } = service.filled

/** A call about which there is nothing to say. */
const PASSED = { outcome: 'passed', ending: 'completed', rule: null, reason: null, error_cause: null }

/** Lists the same calls each time, changed by `change`: what another test calls meanwhile is not among them. */
async function keepCalls<Call>(
  page: Page,
  change: (calls: readonly Call[], isFirst: boolean) => readonly (Call | undefined)[],
): Promise<void> {
  let kept: readonly Call[] | undefined
  await changeAnswers<{ data: readonly Call[] }>(page, /\/api\/calls\?/, (body) => {
    const isFirst = kept === undefined
    kept ??= body.data
    return { ...body, data: change(kept, isFirst) }
  })
}

describe('a list that stays open', () => {
  it('says how many calls have come, moves nothing, and lists them once a person asks', async () => {
    const page = await pageOf(owner)
    await page.clock.install()
    await keepCalls(page, ([first, second, ...others], isFirst) => [...(isFirst ? [] : [first]), second, ...others])
    await open(page, '/app/calls')
    const rows = page.locator('[data-row]')
    await rows.first().waitFor()
    const before = await rows.count()
    const first = await rows.first().getAttribute('data-row')
    const top = (await rows.first().boundingBox())?.y
    await page.clock.runFor(5_500)
    const news = page.getByRole('button', { name: '1 new call' })
    await news.waitFor()
    await expect.poll(() => page.getByRole('status').filter({ has: news }).count()).toBe(1)
    expect((await rows.first().boundingBox())?.y).toBe(top)
    await expect.poll(() => rows.count()).toBe(before)
    await news.click()
    await expect.poll(() => rows.count()).toBe(before + 1)
    await expect.poll(() => news.count()).toBe(0)
    await page.locator('[data-row] a:focus').waitFor()
    await expect.poll(() => rows.first().getAttribute('data-row')).not.toBe(first)
  })

  it('keeps what was found further back when a call comes', async () => {
    const page = await pageOf(owner)
    await page.clock.install()
    let times = 0
    await changeAnswers<{ data: object[] }>(page, /\/api\/calls\?(?!.*cursor)/, (body) => {
      times += 1
      const [first = {}] = body.data
      const come = { ...first, id: '0198f3a0-5b7e-4c41-9d1e-2f6a8c0b4d11' }
      return { ...body, data: times === 1 ? [] : [come], has_more: true, next_cursor: '900' }
    })
    await open(page, '/app/calls')
    const rows = page.locator('[data-row] a')
    await rows.first().waitFor()
    const before = await rows.count()
    await page.clock.runFor(5_500)
    await page.getByRole('button', { name: '1 new call' }).click()
    await expect.poll(() => rows.count()).toBe(before + 1)
  })

  it('drops the call that left it, and says in its row how a call has ended since', async () => {
    const page = await pageOf(owner)
    await page.clock.install()
    await keepCalls<object>(page, ([first, second = {}, third, ...others], isFirst) => [
      isFirst ? first : { ...second, id: '0198f3a0-5b7e-4c41-9d1e-2f6a8c0b4d11' },
      isFirst ? third : { ...third, ...PASSED, ending: 'failed', error_cause: 'overloaded' },
      ...others,
    ])
    await open(page, '/app/calls')
    const keys = async () =>
      Promise.all((await page.locator('[data-row]').all()).map((row) => row.getAttribute('data-row')))
    await page.locator('[data-row] a').first().waitFor()
    const before = await keys()
    await page.clock.runFor(5_500)
    await expect.poll(() => page.locator('[data-row]').nth(1).innerText()).toMatch(/Failed\s+Provider overloaded/)
    expect(await keys()).toEqual(before)
    await page.getByRole('button', { name: '1 new call' }).click()
    await expect.poll(async () => (await keys())[0]).not.toBe(before[0])
    expect((await keys()).slice(1)).toEqual(before.slice(1))
  })

  it('asks for none while it is out of sight, or something is open in front of it', async () => {
    const page = await pageOf(owner)
    await page.clock.install()
    await open(page, '/app/calls')
    await page.locator('[data-row] a').first().waitFor()
    const asked = pathsOf(page)
    const looks = () => asked.filter((path) => path.startsWith('/api/calls')).length
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })")
    await page.clock.runFor(11_000)
    expect(looks()).toBe(0)
    await page.evaluate('delete document.visibilityState')
    await page.keyboard.press('/')
    await page.getByRole('dialog').waitFor()
    await page.clock.runFor(11_000)
    expect(looks()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.clock.runFor(5_500)
    await expect.poll(looks).toBe(1)
  })
})

describe('why a call ended so', () => {
  it.each([1440, 820, 390])(
    'is in its row at a width of %i px, which is one line where there is room',
    async (width) => {
      const page = await pageOf(owner, { width })
      const told = [
        [{ ending: 'failed', error_cause: 'no_headers' }, /Failed\s+No answer in time/],
        [{ ending: 'interrupted' }, /Failed\s+Interrupted/],
        [{ ending: 'cached' }, /Passed\s+stored/],
        [
          { outcome: 'blocked', ending: 'blocked', reason: 'found: pps_number, iban' },
          /Blocked\s+PPS number and IBAN found/,
        ],
        [{ outcome: 'suppressed', ending: 'suppressed', rule: 'loop_guard' }, /Suppressed\s+\S/],
      ] as const
      await changeAnswers<{ data: object[] }>(page, /\/api\/calls\?/, (body) => ({
        ...body,
        data: body.data.map((call, at) => ({ ...call, ...PASSED, use_case: 'u'.repeat(64), ...told[at]?.[0] })),
      }))
      await open(page, '/app/calls')
      const rows = page.locator('[data-row]')
      for (const [at, [, words]] of told.entries()) {
        const cell = rows.nth(at).locator('[data-kind=outcome]')
        await expect.poll(() => cell.innerText()).toMatch(words)
        await cell.waitFor()
      }
      if (width !== 1440) return
      const heights = (await rows.all()).map(async (row) => (await row.boundingBox())?.height)
      expect(new Set(await Promise.all(heights))).toEqual(new Set([40]))
    },
  )
})
