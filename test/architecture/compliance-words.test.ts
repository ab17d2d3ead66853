// The words of the checklist, the report and their documents: what they claim. Makes the table of docs/controls.md from the controls.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CANNOT_SHOW, CHECKLIST_VERSION, CONTROLS, LAW_AS_OF } from '../../src/reports/controls/checklist.ts'
import { groupByLaw, LAW } from '../../src/reports/report/law.ts'
import { markdownTable, withTable } from '../support/markdown-table.ts'

const PAGES = ['docs/use-checklist.md', 'docs/controls.md', 'docs/make-reports.md']
const FOLDERS = ['src/reports', 'src/management/compliance']

/** Nobody can say these of an organisation from the records of a gateway. */
const CLAIMS = /\b(?:compliant|certif(?:y|ies|ied|ication)|guarantee[sd]?|lawful(?:ly)?|legally|audited by)\b/i

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts')),
)

const [page = '', controlsPage = ''] = PAGES.map((path) => readFileSync(path, 'utf8'))

it.each([...sources, ...PAGES])('%s claims nothing that a gateway cannot know', (path) => {
  expect(readFileSync(path, 'utf8').match(CLAIMS)).toBeNull()
})

it('the page says of which day’s law the checklist is, which version it is, and that it is no legal advice', () => {
  const day = new Date(LAW_AS_OF).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
  expect(page).toContain(`## The law, as of ${day}`)
  expect(page).toContain(`\`${CHECKLIST_VERSION}\``)
  expect(page).toContain('no legal advice')
  expect(controlsPage).toContain(`\`${CHECKLIST_VERSION}\`, as of the law of ${day}`)
  expect(LAW.notes.join(' ')).toContain('no legal advice')
})

it('docs/controls.md has each control with its weight, its sources and what is asked', async () => {
  const rows = CONTROLS.map(({ id, title, weight, earns, sources: laws, query }) => [
    id,
    weight === 0 ? '–' : earns ? String(weight) : `(${weight})`,
    title,
    groupByLaw(laws),
    query,
  ])
  const table = markdownTable(['id', 'weight', 'control', 'sources', 'evidence'], rows)
  await expect(withTable(controlsPage, 'controls', table)).toMatchFileSnapshot('../../docs/controls.md')
})

it('every control says in a sentence what would make it pass, and every limit of what is seen is one', () => {
  for (const text of [...CONTROLS.map(({ wouldPass }) => wouldPass), ...CANNOT_SHOW]) expect(text).toMatch(/\.$/)
})
