// countersign-verify as the one file that the service serves.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makeCommand } from '../../scripts/pages/offline-verifier.ts'
import { LEAST_NODE, refuseNode } from '../../scripts/verify/least-node.ts'
import { makeEvidence, oldKey } from '../fixtures/evidence/invented-evidence.ts'
import { keepFile } from '../support/e2e/verify.ts'

it('is the same bytes each time, loads nothing but Node, and checks', async () => {
  const [once, again] = [await makeCommand(), await makeCommand()]
  expect(once).toBe(again)
  const imports = [...once.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name]) => name)
  expect(imports.length).toBeGreaterThan(0)
  for (const name of imports) expect(name).toMatch(/^node:/)
  expect(once).not.toMatch(/\bimport\(/)
  expect(once).not.toContain(process.cwd())
  expect(once).not.toContain('node_modules')
  // An older Node has no such name, and would not run the line that says so.
  expect(once).not.toMatch(/^import \{[^}]*\bhash\b/m)

  const command = keepFile(once, 'mjs')
  const { bundle } = await makeEvidence()
  const spoiled = { ...bundle, record: { ...bundle.record, model: 'another-model' } }
  const checked = [bundle, spoiled].map((one) =>
    spawnSync(process.execPath, [command, keepFile(one), '--key', oldKey.publicKey], { encoding: 'utf8' }),
  )
  expect(checked.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ''],
    [1, ''],
  ])
})

it.each(['20.20.2', '21.7.3', '8.0.0'])('refuses Node %s', (version) => {
  expect(refuseNode(version)).toBe(`countersign-verify needs Node 22 or later; this is ${version}.`)
})

it('runs with each later Node, as the documents say', () => {
  expect(['22.0.0', '23.11.1', '100.0.0'].map(refuseNode)).toEqual([null, null, null])
  for (const file of ['docs/check-records.md', 'src/pages/verify.html']) {
    expect(readFileSync(file, 'utf8')).toContain(`one file for Node ${LEAST_NODE} or later`)
  }
})
