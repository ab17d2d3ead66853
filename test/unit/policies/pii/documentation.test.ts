// The page on policies names every shape that pii_scan looks for, and every action.
import { expect, it } from 'vitest'
import policies from '../../../../docs/policies.md?raw'
import { ACCOUNT_SHAPES, TOKEN_SHAPES } from '../../../../src/identifiers/identifier-shapes.ts'
import { PII_ACTIONS } from '../../../../src/policies/document/pii-scan.policy.ts'

const section = policies.slice(
  policies.indexOf('## What pii_scan looks for'),
  policies.indexOf('### How much it finds'),
)

it.each([...ACCOUNT_SHAPES, ...TOKEN_SHAPES, ...PII_ACTIONS])('%s is told', (name) => {
  expect(section).toContain(`\`${name}\``)
})
