// Writes the table of SDKs in docs/clients.md: a column for each provider, and a row for the features of an SDK with the same verdicts.
// A feature that works at every provider has no row.
import { PROVIDERS } from '../../src/providers/provider-registry.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { featuresOf, type RunName, type Verdict } from './sdk-features.ts'
import type { Sdk } from './sdk-list.ts'
import type { TestedModel } from './sdk-test-setup.ts'

export type JudgedRun = { readonly run: RunName; readonly verdict: Verdict }

/** The providers that a model is asked at first. Others serve models of these. */
export const COLUMNS = PROVIDERS.filter(({ id }) => catalogueModels().some(({ provider }) => provider === id))

const MARKS = { begin: '<!-- clients: begin -->', end: '<!-- clients: end -->' } as const

/** Returns the rows of the tested SDKs, in the order of sdk-list.ts. Features with the same verdicts share a row. */
export function tableRows(
  clients: readonly Pick<Sdk, 'name'>[],
  models: readonly TestedModel[],
  judged: readonly JudgedRun[],
): string[] {
  return clients.flatMap(({ name }) => {
    const features = Map.groupBy(featuresOf(name), (feature) => {
      const own = judged.filter(({ run }) => run.client === name && run.feature === feature)
      const cells = COLUMNS.map(({ id: provider }) => {
        const ids = new Set(models.filter((model) => model.provider === provider).map(({ id }) => id))
        return cellOf(own.filter(({ run }) => ids.has(run.model)))
      })
      return cells.join(' | ')
    })
    return [...features].flatMap(([cells, names]) =>
      cells === WORKING.join(' | ') ? [] : [`| ${name} | ${names.join(', ')} | ${cells} |`],
    )
  })
}

const WORKING = COLUMNS.map(() => 'works')

/** Returns one verdict if all models share it, or each verdict with its models. */
function cellOf(judged: readonly JudgedRun[]): string {
  if (judged.length === 0) return 'not tested'
  const models = new Map<string, string[]>()
  for (const { run, verdict } of judged) {
    const text = cellText(verdict)
    models.set(text, [...(models.get(text) ?? []), `\`${run.model}\``])
  }
  if (models.size === 1) return [...models.keys()].join('')
  return [...models].map(([text, ids]) => `${text} (${ids.join(', ')})`).join('; ')
}

/** Returns the verdict as the table has it. The reasons are only printed. */
export const cellText = (verdict: Verdict): string => (verdict.kind === 'fails' ? verdict.kind : verdictText(verdict))

export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'works':
      return 'works'
    case 'refused':
      return `refused: \`${verdict.param}\``
    case 'fails':
      return `fails: ${verdict.why}`
  }
}

export function tableText(clients: readonly Sdk[], rows: readonly string[]): string {
  const versions = clients.map(
    ({ name, versions: all }) => `| ${name} | ${all.map((one) => `\`${one}\``).join(', ')} |`,
  )
  const columns = ['Client', 'Features', ...COLUMNS.map(({ label }) => label)]
  return [
    '| Client | Versions |',
    '| --- | --- |',
    ...versions,
    '',
    `| ${columns.join(' | ')} |`,
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n')
}

/** Returns the page with this text between the two marks. Throws if it has no marks. */
export function replaceTable(page: string, text: string): string {
  const [before, rest] = splitOnce(page, MARKS.begin)
  const [, after] = splitOnce(rest, MARKS.end)
  return `${before}${MARKS.begin}\n\n${text}\n\n${MARKS.end}${after}`
}

/** Returns the page with these rows instead of its own rows for the same clients. */
export function replaceRows(page: string, rows: readonly string[]): string {
  const table = tableIn(page)
  const clients = Map.groupBy(rows, clientOf)
  const lines = table.split('\n').flatMap((line, at, all) => {
    const own = isFeatureRow(line) ? clients.get(clientOf(line)) : undefined
    if (own === undefined) return [line]
    return clientOf(all[at - 1] ?? '') === clientOf(line) ? [] : own
  })
  return page.replace(table, () => lines.join('\n'))
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

const clientOf = (row: string): string => cellsOf(row)[0] ?? ''

/** Tells a row of features from a row of versions. */
const isFeatureRow = (row: string): boolean => cellsOf(row).length > 2

/** Returns the cells of each feature in the table: client, feature, and a verdict for each provider. */
export function featuresIn(page: string): string[][] {
  const rows = tableIn(page).split('\n').filter(isFeatureRow).map(cellsOf)
  return versionsIn(page).flatMap(([client = '']) =>
    featuresOf(client).map((feature) => {
      const row = rows.find(([other, names = '']) => other === client && names.split(', ').includes(feature))
      return [client, feature].concat(row?.slice(2) ?? WORKING)
    }),
  )
}

/** Returns the cells of each row of versions. */
export const versionsIn = (page: string): string[][] =>
  tableIn(page)
    .split('\n')
    .map(cellsOf)
    .filter((cells) => cells.length === 2)

/** Returns the text between the two marks. */
export function tableIn(page: string): string {
  return splitOnce(splitOnce(page, MARKS.begin)[1], MARKS.end)[0]
}

function splitOnce(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark)
  if (at === -1) throw new Error(`the page has no ${mark}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}
