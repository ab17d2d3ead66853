// How a page is looked at, and what must be true of it each time: no barrier that axe finds, nothing wider than the window, and
// nothing to press that is too low for a finger.
import type { Page } from 'playwright-core'
import { lookAt, settled, type PageState } from './pages.ts'
import { barriersOf, lowOnesOf, overflowOf, shiftOf, unprovoked } from './visitor.ts'

export type Sight = {
  scheme: 'light' | 'dark'
  width: number
  /** Text size in percent, as somebody sets it in their browser. */
  percent?: 200
}

export type Seen = {
  /** Sights in which something was wrong. */
  wrong: { sight: Sight; barriers: string[]; overflow: number; low: string[] }[]
  /** By how many pixels it is wider than the narrowest window. */
  narrow: number
  /** Texts of empty lists that have no heading. */
  bare: string[]
  /** Faults of the page that it does not provoke (visitor.ts). */
  faults: string[]
  /** Path of the page at the end. */
  path: string
  /** How far things jumped while the page came, in a window and on a phone: Cumulative Layout Shift. */
  shift: number
}

const BARE = `[...document.querySelectorAll('.empty')]
  .filter((one) => one.querySelector('h2') === null)
  .map((one) => one.textContent)`

/** Most that a page may jump. */
export const MOST_SHIFT = 0.01

const PHONE = { width: 390, height: 844 }

async function shiftOnceLoaded(page: Page, address: string, size: typeof PHONE): Promise<number> {
  await page.setViewportSize(size)
  await page.goto(address)
  await settled(page)
  return shiftOf(page)
}

/** Windows up to this width belong to fingers. */
const WIDEST_TOUCHED = 640

export async function seeing(shown: PageState, sights: readonly Sight[]): Promise<Seen> {
  await using somebody = await lookAt(shown)
  const { page } = somebody
  const shift = await shiftOf(page)
  const wrong: Seen['wrong'] = []
  const protocol = await page.context().newCDPSession(page)
  for (const sight of sights) {
    const { scheme, width, percent = 100 } = sight
    const isTouched = width <= WIDEST_TOUCHED
    await page.emulateMedia({ colorScheme: scheme })
    await protocol.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched })
    await page.setViewportSize({ width, height: 800 })
    await page.evaluate(`document.documentElement.style.fontSize = '${percent}%'`)
    const barriers = await barriersOf(somebody)
    const overflow = await overflowOf(page)
    const low = isTouched ? await lowOnesOf(page) : []
    if (barriers.length > 0 || overflow > 0 || low.length > 0) wrong.push({ sight, barriers, overflow, low })
  }
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  await page.setViewportSize({ width: 320, height: 800 })
  const narrow = await overflowOf(page)
  const bare = await page.evaluate<string[]>(BARE)
  const { pathname: path } = new URL(page.url())
  const shiftOnPhone = shown.prepare === undefined ? await shiftOnceLoaded(page, shown.address, PHONE) : 0
  return { wrong, narrow, bare, faults: unprovoked(somebody), path, shift: Math.max(shift, shiftOnPhone) }
}
