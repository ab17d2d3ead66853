// The page on policies names every shape that pii_scan looks for, every action, and every place of text.
import { expect, it } from 'vitest'
import policies from '../../../../docs/policies.md?raw'
import { ACCOUNT_SHAPES, TOKEN_SHAPES } from '../../../../src/scanning/identifiers/identifier-shapes.ts'
import { PII_ACTIONS } from '../../../../src/policies/document/pii-scan.policy.ts'
import { TEXT_PLACES } from '../../../../src/scanning/texts/request-texts.ts'

const CELLS = {
  replace: 'replaced',
  leave_out: 'the message goes without its thoughts',
  refuse: 'the request is refused',
  said: 'by role',
  definition: 'as definition',
}

it('every place of text is told, with what is done there', () => {
  const rows = [...policies.matchAll(/^\| `(\w+)` +\|[^|]*\| ([^|]+?) *\| ([^|]+?) *\| (yes|no) +\|$/gm)]
  const told = rows.map((row) => row.slice(1))
  const listed = Object.entries(TEXT_PLACES).map(([place, { redaction, injection, counted }]) => [
    place,
    CELLS[redaction],
    injection === null ? 'not read' : CELLS[injection],
    counted ? 'yes' : 'no',
  ])
  expect(told).toEqual(listed)
})

const section = policies.slice(
  policies.indexOf('## What pii_scan looks for'),
  policies.indexOf('### How much it finds'),
)

it.each([...ACCOUNT_SHAPES, ...TOKEN_SHAPES, ...PII_ACTIONS])('%s is told', (name) => {
  expect(section).toContain(`\`${name}\``)
})
