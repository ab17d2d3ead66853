// Tests the preferences of a browser or a system, and a keyboard in place of a pointer.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { member, pageOf, service, visitor } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { keepShown } from '../support/browser/visitor.ts'

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)

describe('what somebody has set', () => {
  it('is kept to: more contrast, colours of their own, no motion', async () => {
    const page = await open(service.filled.owner, '/app')
    const ink = await styleOf(page, 'body', 'color')
    await expect.poll(() => styleOf(page, '.soft', 'color')).not.toBe(ink)
    await page.emulateMedia({ contrast: 'more' })
    await expect.poll(() => styleOf(page, '.soft', 'color')).toBe(ink)
    await page.emulateMedia({ contrast: 'no-preference' })

    const moving = () => styleOf(page, '.button', 'transitionDuration')
    await expect.poll(() => moving()).toBe('0s')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await expect.poll(() => moving()).not.toBe('0s')

    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
    await page.evaluate("document.body.append(Object.assign(document.createElement('output'), { id: 'probe' }))")
    const text = await styleOf(page, '#probe', 'color')
    for (const mark of ['.mark-1', '.mark-2', '.axis text']) {
      const property = mark === '.axis text' ? 'fill' : 'color'
      await expect.poll(() => styleOf(page, `.chart svg ${mark}`, property)).toBe(text)
    }
  })
})

describe('the switch of the theme', () => {
  it('holds on every page before anything is painted, and follows the system again once both agree', async () => {
    const page = await pageOf(null, { provoked: /Failed to load resource/ })
    await page.goto('/status')
    const ink = (): Promise<string> => styleOf(page, 'html', 'color')
    const press = (): Promise<void> => page.getByRole('button', { name: 'Switch between light and dark' }).click()
    const light = await ink()
    await press()
    const dark = await ink()
    expect(dark).not.toBe(light)
    await page.route('**/*.page*.js', (route) => route.abort())
    await page.goto('/docs')
    expect(await ink()).toBe(dark)
    await press()
    expect(await ink()).toBe(light)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await ink()).toBe(dark)
  })
})

/** Says which element has the focus, and whether its outline shows. */
const FOCUSED = `(() => {
  const { activeElement: element } = document
  if (element === document.body) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return { at: [...document.querySelectorAll('*')].indexOf(element), isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 }
})()`

/** All that can be walked to: of radio buttons that belong together one, and nothing that is hidden. */
const STOPS = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  const groups = new Set()
  return all.filter((element) => {
    if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false
    if (element.type !== 'radio') return true
    return groups.size < groups.add(element.name).size
  }).length
})()`

describe('the keyboard', () => {
  it.each(['/', '/verify', '/app', '/app/settings'])(
    'walks through all of %s, sees where it is, and comes out',
    async (address) => {
      await using somebody = address.startsWith('/app') ? await member(service.filled.owner) : await visitor()
      const { page } = somebody
      await open(page, address)
      const stops = await page.evaluate<number>(STOPS)
      const walked = new Set<number>()
      for (let step = 0; step < stops + 20; step++) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate<{ at: number; isShown: boolean } | null>(FOCUSED)
        if (focused === null) break
        expect(focused).toEqual({ at: focused.at, isShown: true })
        walked.add(focused.at)
      }
      expect(walked.size).toBeGreaterThanOrEqual(stops)
      await expect.poll(() => page.evaluate(FOCUSED)).toBeNull()
    },
  )

  it('copies, and says so', async () => {
    const page = await pageOf(null)
    const context = page.context()
    await context.grantPermissions(['clipboard-write'])
    await keepShown(context)
    await open(page, '/status')
    const copy = page.getByRole('button', { name: /^Copy/ }).first()
    await copy.press('Enter')
    await page.getByRole('button', { name: /^Copied/ }).waitFor()
  })
})
