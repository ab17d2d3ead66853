// Every page in both themes, wide and narrow: no barrier that axe finds, no overflow, and nothing that no page may do.
import { describe, expect, it } from 'vitest'
import { member, service, visitor } from '../support/browser/browser.ts'
import { barriersOf, overflowOf } from '../support/browser/visitor.ts'

const { owners, filled } = service

const LOOKS = (['light', 'dark'] as const).flatMap((scheme) => [320, 1280].map((width) => ({ scheme, width })))

const OPEN = ['/', '/nothing-here']
const OF_MEMBERS = ['/app']

describe.each(LOOKS)('$scheme, $width px wide', (look) => {
  it.each(OPEN)('%s', async (path) => {
    await using somebody = await visitor(look)
    await somebody.page.goto(path, { waitUntil: 'networkidle' })
    expect(await barriersOf(somebody)).toEqual([])
    expect([await overflowOf(somebody.page), somebody.faults]).toEqual([0, []])
  })

  it.each(
    OF_MEMBERS.flatMap((path) => [[path, 'empty', owners['pro']] as const, [path, 'full', filled.owner] as const]),
  )('%s, %s', async (path, _, owner) => {
    if (owner === undefined) throw new Error('nobody owns it')
    await using somebody = await member(owner, look)
    await somebody.page.goto(path, { waitUntil: 'networkidle' })
    expect(new URL(somebody.page.url()).pathname).toBe(path)
    expect(await barriersOf(somebody)).toEqual([])
    expect([await overflowOf(somebody.page), somebody.faults]).toEqual([0, []])
  })
})
