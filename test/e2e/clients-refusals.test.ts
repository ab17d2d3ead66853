// Every refusal in the table of docs/clients.md is among the requests that test/fixtures keeps, with why.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { COLUMNS, featuresIn } from '../../scripts/clients/compatibility-table.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { CLIENT_REQUESTS } from '../fixtures/client-requests.ts'
import { CLIENT_RESPONSES_REQUESTS } from '../fixtures/client-responses-requests.ts'
import { RECORDED_MESSAGES_REQUESTS, ROUTE_NAMES, ROUTES } from '../fixtures/recorded-messages-requests.ts'

const REFUSED = /refused: `([^`]+)`(?: \(([^)]+)\))?/g

const MESSAGES_REFUSALS = RECORDED_MESSAGES_REQUESTS.flatMap(({ refused = {} }) =>
  ROUTE_NAMES.flatMap((route) => {
    const param = refused[route]
    return param === undefined ? [] : [{ param, on: [ROUTES[route][0]], isAdapted: false }]
  }),
)

/** The refusals of what a client may send, by what the end of its name says. */
function refusalsOf(client: string) {
  if (client.endsWith('(messages)')) return MESSAGES_REFUSALS
  const requests = client.endsWith('(chat)') ? CLIENT_REQUESTS : CLIENT_RESPONSES_REQUESTS
  return requests.flatMap(({ refusals }) => refusals)
}

function isKept(client: string, model: string, param: string): boolean {
  return refusalsOf(client).some(
    (one) => one.isAdapted !== true && one.param === param && one.on.some((beginning) => model.startsWith(beginning)),
  )
}

it('has every refusal of the table of clients, on the same models', async () => {
  const rows = featuresIn(await readFile('docs/clients.md', 'utf8'))
  const refused = rows.flatMap(([client = '', , ...cells]) =>
    COLUMNS.flatMap(({ id: provider }, column) => {
      const all = catalogueModels().filter((model) => model.gateway && model.provider === provider)
      return [...(cells[column] ?? '').matchAll(REFUSED)].flatMap(([, param = '', named]) =>
        (named?.replaceAll('`', '').split(', ') ?? all.map(({ id }) => id)).map((model) => ({ client, model, param })),
      )
    }),
  )
  expect(refused).not.toEqual([])
  expect(refused.filter(({ client, model, param }) => !isKept(client, model, param))).toEqual([])
})
