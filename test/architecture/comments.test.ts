// Holds comments to begin with their subject or their verb.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

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

it.each(['src', 'scripts', 'test'])('no comment of %s hides its subject', (folder) => {
  expect(globSync(`${folder}/**/*.{ts,tsx,mjs}`).flatMap(hiddenIn)).toEqual([])
})
