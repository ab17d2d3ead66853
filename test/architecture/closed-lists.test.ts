// A closed list has one table: no object or list elsewhere names three or more of its members. How a call ends, rules, shapes,
// regions and groupings were each written in many rooms once, and disagreed.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ESTree, parseSync } from 'vite'
import { ENDING_NAMES, RECORD_OUTCOMES, SHOWN_OUTCOMES } from '../../src/evidence/records/call-endings.ts'
import { APPROVAL_STATES } from '../../src/organisation/journal/state/approval.schema.ts'
import { POLICY_IDS } from '../../src/policies/rules/index.ts'
import { DATA_REGIONS } from '../../src/platform/data-region.ts'
import { COMPARED_NAMES } from '../../src/reports/statistics/compared-outcomes.ts'
import { SHAPES } from '../../src/scanning/identifiers/shapes/index.ts'

const LISTS: Readonly<Record<string, readonly string[]>> = {
  // An approval is denied, expires and is withdrawn too.
  endings: ENDING_NAMES.filter((name) => !APPROVAL_STATES.some((state) => state === name)),
  outcomes: SHOWN_OUTCOMES.map(({ name }) => name),
  'compared outcomes': COMPARED_NAMES,
  'signed outcomes': RECORD_OUTCOMES,
  rules: POLICY_IDS,
  shapes: SHAPES,
  regions: DATA_REGIONS,
}

/** A name twice is a coincidence, three times a table. */
const MOST = 2

/** Each file that has a table by a list's members, for what no other can say of them. */
const OWN_TABLES: Readonly<Record<string, string>> = {
  'src/pages/parts/outcome-badge.view.tsx': 'draws the sign of each outcome',
  'src/reports/statistics/compared-outcomes.ts': 'is the table of compared outcomes',
  'src/pages/app/compliance/evidence-words.ts': 'names the values of controls, some of which are rules',
  'src/management/export/organisation-rows.ts': 'exports the limits that settings set, by the rule that applies them',
  'src/reports/controls/policy-controls.ts': 'judges how much each rule limits',
  'scripts/shape-samples.ts': 'has samples of each shape, for the measurement and its tests',
  'scripts/eval/invented-letters.ts': 'chooses the shapes that each kind of letter has',
  'scripts/bench/necessary-worker.ts': 'writes the record of one call',
  'scripts/document/example-values.ts': 'has examples by the names of members',
}

type Node = ESTree.Node

/** Returns the names that a table has: keys of an object, or the texts, names or first texts of a list's members. */
function namesIn(node: Node): string[] {
  if (node.type === 'ObjectExpression') return node.properties.flatMap((property) => nameOf(property))
  if (node.type !== 'ArrayExpression') return []
  return node.elements.flatMap((element) => {
    if (element === null) return []
    if (element.type === 'CallExpression') return element.arguments[0] === undefined ? [] : textOf(element.arguments[0])
    if (element.type === 'ArrayExpression') return element.elements[0] == null ? [] : textOf(element.elements[0])
    if (element.type !== 'ObjectExpression') return textOf(element)
    return element.properties.flatMap((property) =>
      property.type === 'Property' && ['id', 'name', 'value'].includes(nameOf(property)[0] ?? '')
        ? textOf(property.value)
        : [],
    )
  })
}

const textOf = (node: Node): string[] => (node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [])

function nameOf(property: Node): string[] {
  if (property.type !== 'Property' || property.computed) return []
  return property.key.type === 'Identifier' ? [property.key.name] : textOf(property.key)
}

function tablesIn(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} does not parse`)
  const found: string[] = []
  function visit(node: Node): void {
    // A policy has rules as its members.
    if (
      node.type === 'VariableDeclarator' &&
      source.slice(node.start, node.end).split('=')[0]?.includes('PolicyDocument')
    )
      return
    const names = new Set(namesIn(node))
    for (const [list, members] of Object.entries(LISTS)) {
      const those = members.filter((member) => names.has(member))
      if (those.length > MOST)
        found.push(`${path}:${source.slice(0, node.start).split('\n').length} ${list}: ${those.join(', ')}`)
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (isNode(child)) visit(child)
      }
    }
  }
  visit(program)
  return found
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

it('are named in no other table', () => {
  const files = globSync([`src/{pages,reports,management}/**/*.{ts,tsx}`, 'scripts/**/*.{ts,mjs}']).toSorted()
  expect(files.filter((path) => OWN_TABLES[path] === undefined).flatMap(tablesIn)).toEqual([])
  expect(Object.keys(OWN_TABLES).filter((path) => tablesIn(path).length === 0)).toEqual([])
})
