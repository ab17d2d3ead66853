// Makes the tables of docs/fields.md: what each provider's models do with each field, by asking the code.
import { catalogueModels } from '../../../src/providers/model-catalogue.ts'
import { PROVIDERS } from '../../../src/providers/provider-registry.ts'
import { markdownTable } from '../markdown-table.ts'

/**
 * `left out`: accepted, not sent to the provider, and named in `x-aqta-dropped`. `extended`: sent with something added, and named in
 * `x-aqta-added`.
 */
export type FieldOutcome = 'works' | 'left out' | 'extended' | 'refused'

/** For each field, requests that use it. */
export type FieldSamples = Readonly<Record<string, readonly object[]>>

/** The providers that a model is asked at first. Others serve models of these. */
const COLUMNS = PROVIDERS.filter(({ id }) => catalogueModels().some(({ provider }) => provider === id))

/** Returns one outcome for all models and samples of a provider, or `some models` if they differ. */
function cellOf(outcomes: readonly FieldOutcome[]): string {
  const [outcome, ...others] = new Set(outcomes)
  if (others.length === 0) return outcome ?? 'no model'
  return outcome === 'works' || others.includes('works') ? 'some models' : 'refused'
}

/**
 * Returns the fields as Markdown: those that every provider takes, those that none takes, and a table of the others.
 * @param outcomeOf reads a request for a model, as the service does
 */
export function fieldTable(samples: FieldSamples, outcomeOf: (model: string, sample: object) => FieldOutcome): string {
  const rows = Object.entries(samples).map(([field, requests]) => {
    const cells = COLUMNS.map(({ id }) => {
      const models = catalogueModels().filter((model) => model.gateway && model.provider === id)
      return cellOf(models.flatMap((model) => requests.map((request) => outcomeOf(model.id, request))))
    })
    return { field, cells }
  })
  const isSame = (cell: string) => (row: { cells: string[] }) => row.cells.every((one) => one === cell)
  const fieldsWith = (cell: string): string =>
    rows
      .filter(isSame(cell))
      .map(({ field }) => field)
      .join('; ')
  const others = rows.filter((row) => !isSame('works')(row) && !isSame('refused')(row))
  return [
    `**Works with every provider:** ${fieldsWith('works')}.`,
    '',
    `**Refused with every provider:** ${fieldsWith('refused')}.`,
    '',
    markdownTable(
      ['Field', ...COLUMNS.map(({ label }) => label)],
      others.map(({ field, cells }) => [field].concat(cells)),
    ),
  ].join('\n')
}
