// Holds the size of each folder. A change that needs more raises the number here, and its commit says why.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The most lines (to the next fifty) and files of code in each folder. */
const MOST: Record<string, readonly [lines: number, files: number]> = {
  'src/accounts': [6_350, 64],
  'src/evidence': [5_800, 57],
  'src/gateway': [7_800, 53],
  'src/keys': [750, 6],
  'src/management': [7_000, 71],
  'src/notifications': [1_050, 13],
  'src/organisation': [14_700, 120],
  'src/pages': [17_100, 152],
  'src/platform': [2_750, 30],
  'src/policies': [1_350, 16],
  'src/providers': [5_900, 41],
  'src/public-log': [2_450, 22],
  'src/referral': [4_200, 33],
  'src/reports': [4_300, 31],
  'src/scanning': [5_050, 44],
  'src/tiles': [800, 5],
  scripts: [21_800, 200],
  test: [93_800, 659],
}

/** The most files of `src` that are too small to stand alone. */
const MOST_UNDER_25_LINES = 13
const MOST_UNDER_60_LINES_FOR_ONE_IMPORTER = 25
/** The most files that the organisation's object imports, directly and indirectly, types included. */
const MOST_IN_THE_OBJECT = 204

const CODE = '**/*.{ts,tsx,mjs,py,css,html,sql}'

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

const sources = globSync('src/**/*.{ts,tsx}').filter((path) => !path.endsWith('.d.ts'))

/** The files of `src` that each file imports. */
const imports = new Map(
  sources.map((path) => {
    const targets = Array.from(
      readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g),
      ([, target = '']) => normalize(join(dirname(path), target)),
    )
    return [path, new Set(targets.filter((target) => sources.includes(target)))]
  }),
)

function reachedFrom(path: string): Set<string> {
  const reached = new Set<string>()
  const left = [path]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    left.push(...(imports.get(next) ?? []))
  }
  return reached
}

const importersOf = (path: string): number => sources.filter((other) => imports.get(other)?.has(path)).length

describe('the size of the code', () => {
  it.each(Object.entries(MOST))('%s has no more lines and files than before', (folder, [lines, files]) => {
    const paths = globSync(join(folder, CODE))
    expect(paths.length).toBeLessThanOrEqual(files)
    expect(paths.map(linesOf).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(lines)
  })

  it('has no more small files than before', () => {
    const small = sources.filter((path) => linesOf(path) < 60)
    expect(small.filter((path) => linesOf(path) < 25).length).toBeLessThanOrEqual(MOST_UNDER_25_LINES)
    expect(small.filter((path) => importersOf(path) === 1).length).toBeLessThanOrEqual(
      MOST_UNDER_60_LINES_FOR_ONE_IMPORTER,
    )
  })

  it('has an object that imports no more files than before', () => {
    expect(reachedFrom('src/organisation/organisation.do.ts').size).toBeLessThanOrEqual(MOST_IN_THE_OBJECT)
  })
})
