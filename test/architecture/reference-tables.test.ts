// Makes the tables of docs/limits.md, docs/settings.md and docs/headers.md from what the code declares, and compares those of
// docs/integrate-readings.md with it.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { fieldSchemaOf } from '../../src/platform/field-schema.ts'
import { COMMON_LIMITS, TIER_GROUPS } from '../../scripts/pages/tier-rows.ts'
import { makeApiDocument } from '../../scripts/pages/worker-files.ts'
import { rowsSetBy } from '../../src/accounts/organisation-settings.schema.ts'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import { operationsOf } from '../../src/pages/reference/openapi-document.ts'
import { ALLOWED_ACTIONS, HELD_ACTIONS } from '../../src/referral/actions.ts'
import { formatNumber } from '../../src/pages/text/format.ts'
import { TIERS } from '../../src/policies/tier.policy.ts'
import { markdownTable, withTable } from '../support/markdown-table.ts'

/** Compares the page with the tables. `-u` writes them. */
async function expectTables(name: string, tables: Readonly<Record<string, string>>): Promise<void> {
  const page = readFileSync(`docs/${name}.md`, 'utf8')
  const made = Object.entries(tables).reduce((text, [mark, table]) => withTable(text, mark, table), page)
  await expect(made).toMatchFileSnapshot(`../../docs/${name}.md`)
}

const yesOrText = (cell: string | boolean): string => (typeof cell === 'string' ? cell : cell ? 'yes' : '')

it('docs/limits.md has what each tier has, and the limits of every tier', async () => {
  const tiers = TIER_GROUPS.flatMap(({ rows }) =>
    rows.map(({ name, cellOf }) => [name, ...TIERS.map((tier) => yesOrText(cellOf(tier)))]),
  )
  const isInAll = (row: readonly string[]) => row.slice(1).every((cell) => cell === 'yes')
  await expectTables('limits', {
    tiers: markdownTable(
      ['', ...TIERS],
      tiers.filter((row) => !isInAll(row)),
    ),
    'every tier': markdownTable(['limit', 'value'], COMMON_LIMITS),
  })
})

/** Returns the values that a setting takes, as a table says them. */
function valuesOf(schema: z.ZodType): string {
  const { type, minimum, maximum, items, properties, isNullable = false, ...one } = fieldSchemaOf(schema)
  const values = one.enum ?? items?.enum
  const range = minimum === undefined ? '' : `${formatNumber(minimum)} to ${formatNumber(maximum ?? Number.NaN)}`
  const text =
    values?.map((value) => `\`${value}\``).join(', ') ??
    (properties === undefined ? range || String(type) : JSON.stringify({ retention_days: 30 }))
  return isNullable ? `${text}, or null` : text
}

it('docs/settings.md has every setting of an organisation', async () => {
  const rows = rowsSetBy('operator').map(([apiName, , row]) => {
    const value = row.toApi === undefined ? row.initial : row.toApi(row.initial)
    return [
      `\`${apiName}\``,
      row.setBy === 'operator' ? 'operator' : 'organisation',
      valuesOf(row.api()),
      `\`${JSON.stringify(value)}\``,
      row.api().meta()?.description ?? row.option.help,
    ]
  })
  await expectTables('settings', {
    settings: markdownTable(['setting', 'set by', 'values', 'new organisation', 'what it does'], rows),
  })
})

/** A header of more routes is one of all management routes. */
const MOST_ROUTES = 5

/** @param calls the routes of calls, which are one word if all are there */
function sentTo(routes: readonly string[], calls: readonly string[]): string {
  if (routes.length > MOST_ROUTES) return 'routes under `/api`'
  const areThere = calls.every((call) => routes.includes(call))
  const others = areThere ? routes.filter((route) => !calls.includes(route)) : routes
  return [...(areThere ? ['calls'] : []), ...others.map((route) => `\`${route}\``)].join(', ')
}

it('docs/headers.md has every header that a route declares', async () => {
  const operations = operationsOf(inlineReferences(await makeApiDocument()))
  const sent = new Map<string, { name: string; meaning: string; routes: string[] }>()
  const answered = new Map<string, Set<string>>()
  for (const { method, path, parameters = [], responses } of operations) {
    for (const { name, in: place, description = '' } of parameters) {
      if (place !== 'header') continue
      const known = sent.get(`${name} ${description}`) ?? { name, meaning: description, routes: [] }
      known.routes.push(`${method.toUpperCase()} ${path}`)
      sent.set(`${name} ${description}`, known)
    }
    for (const { headers = {} } of Object.values(responses)) {
      for (const [name, { description = '' }] of Object.entries(headers)) {
        answered.set(name, (answered.get(name) ?? new Set()).add(description))
      }
    }
  }
  const byName = (rows: readonly (readonly string[])[]) =>
    rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
  const calls = [...sent.values()].find(({ name }) => name === 'x-aqta-use-case')?.routes ?? []
  const requests = [...sent.values()].map(({ name, meaning, routes }) => [
    `\`${name}\``,
    sentTo(routes, calls),
    meaning,
  ])
  const responses = [...answered].map(([name, meanings]) => [`\`${name}\``, [...meanings].join(' ')])
  await expectTables('headers', {
    'request headers': markdownTable(['header', 'sent to', 'meaning'], byName(requests)),
    'response headers': markdownTable(['header', 'meaning'], byName(responses)),
  })
})

it('docs/integrate-readings.md has every refusal of a reading, every action and no other', async () => {
  const page = readFileSync('docs/integrate-readings.md', 'utf8')
  const operations = operationsOf(inlineReferences(await makeApiDocument()))
  const reading = operations.find(({ operationId }) => operationId === 'readReferral')
  const declared = Object.entries(reading?.responses ?? {}).flatMap(([status, one]) =>
    (one['x-error-codes'] ?? []).map((code) => `${code} ${status}`),
  )
  const rows = page.matchAll(/^\| `(\w+)` +\| (\d{3}) /gm)
  expect(Array.from(rows, ([, code = '', status = '']) => `${code} ${status}`).toSorted()).toEqual(declared.toSorted())

  const [, actions = ''] = /\n## Actions\n([^]*?)\n## /.exec(page) ?? []
  const [allowed = '', held = ''] = actions.split('all get the same reading')
  const namesIn = (text: string): string[] => Array.from(text.matchAll(/`(\w+)`/g), ([, name = '']) => name)
  expect(namesIn(allowed)).toEqual(ALLOWED_ACTIONS)
  expect(namesIn(held.replaceAll(/^[^|].*/gm, ''))).toEqual(HELD_ACTIONS)
})
