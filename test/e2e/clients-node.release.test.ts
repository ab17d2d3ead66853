// The Node clients, unchanged, through every feature: what comes out is what the table of docs/clients.md says.
// `npm run clients` drives all clients over all models and writes it; here are those models that differ most.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driveNodeClient, NODE_CLIENTS } from '../../scripts/clients/drive-node.ts'
import { clientName, featuresOf } from '../../scripts/clients/sdk-features.ts'
import { listSdks } from '../../scripts/clients/sdk-list.ts'
import { startSdkTestSetup, type SdkTestSetup } from '../../scripts/clients/sdk-test-setup.ts'
import { cellText, COLUMNS, featuresIn, tableText, versionsIn } from '../../scripts/clients/compatibility-table.ts'

const TESTED = [
  'gpt-5.6-sol',
  'gpt-4.1-mini',
  'claude-opus-5',
  'claude-haiku-4-5',
  'gemini-3.8-flash',
  'sonar',
  'mistral-medium-3-5',
]
const COLUMN_IDS: readonly string[] = COLUMNS.map(({ id }) => id)

let folder: string
let setup: SdkTestSetup
let page: string
/** The cells of each feature. */
let lines: string[][]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-clients-'))
  setup = await startSdkTestSetup(folder)
  page = await readFile('docs/clients.md', 'utf8')
  lines = featuresIn(page)
})
afterAll(async () => {
  await setup.close()
  await rm(folder, { recursive: true })
})

/** The table's words on a client's feature on this model. */
function saidOf(client: string, feature: string, model: string): string | undefined {
  const row = lines.find((cells) => cells[0] === client && cells[1] === feature)
  const provider = setup.models.find(({ id }) => id === model)?.provider ?? ''
  const cell = row?.[2 + COLUMN_IDS.indexOf(provider)]
  const own = cell?.split('; ').find((part) => part.includes(`\`${model}\``))
  return own === undefined ? cell : own.slice(0, own.lastIndexOf(' ('))
}

describe('the table of clients', () => {
  it.each(NODE_CLIENTS.map((client) => [clientName(client), client] as const))(
    'is what %s does',
    async (_, program) => {
      const models = setup.models.filter(({ id }) => TESTED.includes(id))
      const done: string[] = []
      const said: string[] = []
      await driveNodeClient(program, { ...setup, models }, ({ client, feature, model }, verdict) => {
        done.push(`${feature} on ${model}: ${cellText(verdict)}`)
        said.push(`${feature} on ${model}: ${saidOf(client, feature, model)}`)
      })
      expect(done).toHaveLength(featuresOf(clientName(program)).length * TESTED.length)
      expect(done).toEqual(said)
    },
  )

  it('has every client at the version that is driven, with every feature, no cell empty and none that fails', () => {
    const versions = tableText(listSdks(), [])
      .split('\n')
      .slice(2, 2 + listSdks().length)
    const told = versionsIn(page).map((cells) => `| ${cells.join(' | ')} |`)
    expect(told.slice(2)).toEqual(versions)
    for (const { name } of listSdks()) {
      const rows = lines.filter((cells) => cells[0] === name)
      expect(new Set(rows.map((cells) => cells[1]))).toEqual(new Set(featuresOf(name)))
      expect(rows).toHaveLength(featuresOf(name).length)
      expect(rows.flat().filter((cell) => cell === '' || cell === 'not tested' || cell.includes('fails'))).toEqual([])
    }
  })
})
