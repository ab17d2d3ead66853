// How a page is looked at, and what must be true of it each time: no barrier that axe finds, and nothing wider than the window.
import { lookAt, type PageState } from './pages.ts'
import { barriersOf, overflowOf, shiftOf } from './visitor.ts'

export type Sight = {
  scheme: 'light' | 'dark'
  width: number
  /** Of the text, as somebody sets it in their browser. */
  percent?: 200
}

export type Seen = {
  /** Of each sight in which something was wrong. */
  wrong: { sight: Sight; barriers: string[]; overflow: number }[]
  /** What no page may do (visitor.ts). */
  faults: string[]
  /** Where one is at the end. */
  path: string
  /** How far things jumped while the page came: Cumulative Layout Shift. */
  shift: number
}

/** Most that a page may jump. */
export const MOST_SHIFT = 0.02

export async function seeing(shown: PageState, sights: readonly Sight[]): Promise<Seen> {
  await using somebody = await lookAt(shown)
  const { page, faults } = somebody
  const shift = await shiftOf(page)
  const wrong: Seen['wrong'] = []
  for (const sight of sights) {
    const { scheme, width, percent = 100 } = sight
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: 800 })
    await page.evaluate(`document.documentElement.style.fontSize = '${percent}%'`)
    const barriers = await barriersOf(somebody)
    const overflow = await overflowOf(page)
    if (barriers.length > 0 || overflow > 0) wrong.push({ sight, barriers, overflow })
  }
  return { wrong, faults, path: new URL(page.url()).pathname, shift }
}
