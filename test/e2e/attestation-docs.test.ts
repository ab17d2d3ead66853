// The programs of docs/check-by-hand.md and the tables of docs/findings.md do and say what the code does.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requestHash } from '../../src/evidence/records/canonical-json.ts'
import { describeDecision, signRecord } from '../../src/evidence/records/attestation-record.ts'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { HISTORY_VERDICTS } from '../../src/evidence/verify/check-head-history.ts'
import { DOCUMENT_KINDS, OWN_MEMBERS } from '../../src/evidence/verify/document-kind.ts'

const BY_HAND = readFileSync('docs/check-by-hand.md', 'utf8')
const FINDINGS = readFileSync('docs/findings.md', 'utf8')
const [hashing = '', verifying = ''] = [...BY_HAND.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const [python = ''] = [...BY_HAND.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = '']) => code)

const bodies = [
  '{}',
  '{"model":"m","messages":[{"role":"user","content":"Gr\\u00f6\\u00dfe? \\"\\n"}],"temperature":0.7,"n":1.0,"stop":null}',
  '{ "é": [true, false, [], {}], "b": {"z": 1, "a": -2.5}, "a": 100000 }',
]

const run = (command: string, args: string[], input: string) => spawnSync(command, args, { input, encoding: 'utf8' })

const hasPython = run('python3', ['--version'], '').status === 0

describe('the request hash, made by a caller', () => {
  it.each(bodies)('in JavaScript: %s', (body) => {
    const code = `import { hash } from 'node:crypto'\n${hashing}\nconsole.log(requestHash(process.argv[1]))`
    const { stdout } = run(process.execPath, ['--input-type=module', '-e', code, '--', body], '')
    expect(stdout.trim()).toBe(requestHash(JSON.parse(body)))
  })

  it.skipIf(!hasPython).each(bodies)('in Python: %s', (body) => {
    const { stdout } = run('python3', ['-c', python], body)
    expect(stdout.trim()).toBe(requestHash(JSON.parse(body)))
  })
})

/** The first and second cell of each row of the table below a heading, where the first is one word. */
function tableBelow(heading: string): [string, string][] {
  const [section = ''] = FINDINGS.slice(FINDINGS.indexOf(`## ${heading}\n`) + 3).split('\n## ')
  return [...section.matchAll(/^\| `(\w+)` +\|([^|]*)/gm)].map(([, first = '', second = '']) => [first, second])
}

describe('the tables of rules', () => {
  it('have the kinds of documents and the members that tell them, as the command has them', () => {
    const rows = tableBelow('Kinds of documents')
    expect(rows.map(([kind]) => kind)).toEqual(DOCUMENT_KINDS)
    const told = rows.map(([kind, cell]) => [kind, [...cell.matchAll(/`(\w+)`/g)].map(([, member]) => member)])
    expect(Object.fromEntries(told)).toMatchObject(OWN_MEMBERS)
  })

  it('have the verdicts on histories in their order', () => {
    expect(tableBelow('Histories').map(([verdict]) => verdict)).toEqual(Object.keys(HISTORY_VERDICTS))
  })
})

describe('a record, checked by hand', () => {
  it('is valid as it was signed, and not when it was changed', async () => {
    const key = await importSigningKey(new Uint8Array(32).fill(7))
    const decision = {
      attestationId: crypto.randomUUID(),
      organisationId: 'org_invented',
      requestHash: requestHash({}),
      model: 'größe',
      outcome: 'BLOCKED' as const,
      policies: ['b', 'a'],
      costPreventedMicroeur: 15,
      decidedAt: Date.UTC(2026, 10, 20),
    }
    const record = await signRecord(describeDecision(decision, key.publicKey), key)
    const code = `import { createPublicKey, hash, verify } from 'node:crypto'\n${hashing}\n${verifying}
      const [record, pinned] = process.argv.slice(1)
      console.log(isValid(JSON.parse(record), pinned), isValid({ ...JSON.parse(record), outcome: 'ALLOWED' }, pinned))`
    const args = ['--input-type=module', '-e', code, '--', JSON.stringify(record), key.publicKey]
    expect(run(process.execPath, args, '').stdout.trim()).toBe('true false')
  })
})
