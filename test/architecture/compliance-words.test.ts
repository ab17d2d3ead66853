// The words of the checklist, the report and docs/oversight.md: what they claim, and that the page says what the code does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CANNOT_SHOW, CHECKLIST_VERSION, CONTROLS, LAW_AS_OF } from '../../src/reports/controls/checklist.ts'
import { LAW } from '../../src/reports/report/law.ts'

const PAGE = 'docs/oversight.md'
const FOLDERS = ['src/reports', 'src/management/compliance']

/** Nobody can say these of an organisation from the records of a gateway. */
const CLAIMS = /\b(?:compliant|certif(?:y|ies|ied|ication)|guarantee[sd]?|lawful(?:ly)?|legally|audited by)\b/i

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts')),
)

const page = readFileSync(PAGE, 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

it.each([...sources, PAGE])('%s claims nothing that a gateway cannot know', (path) => {
  expect(readFileSync(path, 'utf8').match(CLAIMS)).toBeNull()
})

it('the page says of which day’s law the checklist is, which version it is, and that it is no legal advice', () => {
  const day = new Date(LAW_AS_OF).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
  expect(page).toContain(`## The law, as of ${day}`)
  expect(page).toContain(`\`${CHECKLIST_VERSION}\``)
  expect(page).toContain('no legal advice')
  expect(LAW.notes.join(' ')).toContain('no legal advice')
})

it('the page publishes each control with its weight, its sources and what is asked', () => {
  const published = rows.filter(([id = '']) => /^[LKPHMDX]\d$/.test(id))
  expect(published).toEqual(
    CONTROLS.map(({ id, title, weight, sources: laws, query }) => [
      id,
      weight === 0 ? '–' : String(weight),
      title,
      laws.join('; '),
      query,
    ]),
  )
})

it('every control says in a sentence what would make it pass, and every limit of what is seen is one', () => {
  for (const text of [...CONTROLS.map(({ wouldPass }) => wouldPass), ...CANNOT_SHOW]) expect(text).toMatch(/\.$/)
})
