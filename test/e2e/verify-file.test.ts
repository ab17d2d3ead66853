// countersign-verify as the one file that the service serves.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { makeCommand } from '../../scripts/pages/offline-verifier.ts'
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
