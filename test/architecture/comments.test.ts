// Holds comments to begin with their subject or their verb.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The most comments of each folder that begin with a word that hides the subject. The aim is none. */
const MOST: Record<string, number> = {
  'src/accounts': 0,
  'src/evidence': 0,
  'src/gateway': 0,
  'src/keys': 0,
  'src/management': 0,
  'src/notifications': 0,
  'src/organisation': 0,
  'src/pages': 0,
  'src/platform': 0,
  'src/policies': 0,
  'src/providers': 0,
  'src/public-log': 0,
  'src/referral': 0,
  'src/reports': 0,
  'src/scanning': 0,
  'src/tiles': 0,
  scripts: 0,
  test: 0,
}

const HIDES_THE_SUBJECT = /^\s*(?:\/\/|\/\*\*|\*)\s+(?:Of|What|Who|Whoever|Where|Whether|That|Once|None|Beside|Else)\b/

/** A line that continues the comment of the line before begins no sentence. */
const continues = (before: string | undefined): boolean =>
  before !== undefined &&
  /^\s*(?:\/\/|\/\*\*|\*)\s/.test(before) &&
  !/[.:)`]$/.test(before.trim()) &&
  before.trim() !== '/**'

const hiddenIn = (path: string): string[] => {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines
    .filter((line, at) => HIDES_THE_SUBJECT.test(line) && !continues(lines[at - 1]))
    .map((line) => `${path}: ${line.trim()}`)
}

it.each(Object.entries(MOST))('no more than %s comments of %s hide their subject', (folder, most) => {
  const found = globSync(`${folder}/**/*.{ts,tsx,mjs}`).flatMap(hiddenIn)
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(most)
})
