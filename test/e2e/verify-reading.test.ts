// countersign-verify on a signed reading: with its letter and its entry in the log, and on what was chosen after it.
import { describe, expect, it } from 'vitest'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { signOrganisationHead } from '../../src/evidence/records/tree-head.ts'
import vectors from '../fixtures/reading/vectors.json' with { type: 'json' }
import { keepFile, verify } from '../support/e2e/verify.ts'

const [{ record: reading } = { record: null }] = vectors.valid
if (reading === null) throw new Error('no vector')
const [{ record: outcome } = { record: {} }] = vectors.outcomes
const letter = keepFile(vectors.letter)
const key = `--key=${vectors.public_key}`
const named = ['--profile', 'reading-1', key]

/** The log with this entry alone, as the service answers. */
const log = keepFile({
  proof: {
    leaf_hash: vectors.settlement.leaf_hash,
    leaf_index: 0,
    tree_size: 1,
    root_hash: vectors.settlement.leaf_hash,
    audit_path: [],
  },
  head: await signOrganisationHead(
    { orgId: reading.org_id, treeSize: 1, root: Buffer.from(vectors.settlement.leaf_hash, 'hex') },
    await importSigningKey(Buffer.from(vectors.seed, 'hex')),
  ),
})

describe('a signed reading', () => {
  it('is valid with its letter, its salt, and its entry under a head of the log', async () => {
    const given = ['--letter', letter, '--salt', vectors.salt, '--entry', keepFile(vectors.settlement.entry)]
    const { status, said } = await verify(keepFile(reading), ...named, ...given, '--proof', log)
    expect(status).toBe(0)
    expect(said).toMatch(/^valid +reading +rdg_\S+ {2}yes {2}Cardiology {2}2026\S+ {2}pinned key$/m)
    expect(said).toMatch(/^valid +letter /m)
    expect(said.match(/^valid +(?:inclusion|head) /gm)).toHaveLength(2)
    expect(said).toMatch(new RegExp(`^valid +settlement +${vectors.settlement.leaf_hash}$`, 'm'))
  })

  it.each<[string, string[]]>([
    ['letter_mismatch', ['--letter', keepFile(vectors.letter.trimEnd()), '--salt', vectors.salt]],
    ['letter_mismatch', ['--letter', letter, '--salt', '0'.repeat(64)]],
    ['entry_mismatch', ['--entry', keepFile('gAARIjNEVWZ3iJmqu8zd7v97fQ')]],
    ['entry_mismatch', ['--entry', letter]],
  ])('is valid, and what came with it is not its own: %s', async (code, given) => {
    const { status, said } = await verify(keepFile(reading), ...named, ...given)
    expect(status).toBe(1)
    expect(said).toMatch(/^valid +reading /m)
    expect(said).toContain(`(${code})`)
  })

  it('does not prove an entry without the log', async () => {
    const { status, said } = await verify(keepFile(reading), ...named, '--entry', keepFile(vectors.settlement.entry))
    expect(status).toBe(1)
    expect(said).toMatch(/^not proven +settlement /m)
  })

  const decided = { decision: 'yes', specialty: 'Cardiology', ageGroup: 'Adult' }
  const answer = {
    ...decided,
    record: {
      id: reading.reading_id,
      question: { salt: vectors.salt, textHmac: reading.letter_commitment, action: reading.action },
      outcome: decided,
      signed: reading,
      ledger: { position: 42, entry: vectors.settlement.entry },
    },
  }

  it('may come as the answer that was kept, with its salt and its entry', async () => {
    for (const kept of [answer, answer.record]) {
      const { status, said } = await verify(keepFile(kept), ...named, '--letter', letter, '--proof', log)
      expect(status).toBe(0)
      expect(said.match(/^valid +(?:reading|letter|settlement) /gm)).toHaveLength(3)
      expect(said).toContain('Only record.signed is proven.')
    }
  })

  it.each<[string, object]>([
    ['outcome', { ...answer.record, outcome: { ...decided, specialty: 'Neurology' } }],
    ['letter', { ...answer.record, question: { ...answer.record.question, textHmac: '0'.repeat(64) } }],
    ['decision of the answer', { ...answer, specialty: 'Neurology' }],
  ])('does not vouch for another %s beside it', async (_, changed) => {
    const { status, said } = await verify(keepFile(changed), ...named)
    expect(status).toBe(1)
    expect(said).toContain('(members_differ)')
  })

  it('is refused where it was changed, and its letter is not judged', async () => {
    const given = ['--letter', letter, '--salt', vectors.salt]
    const { status, said } = await verify(keepFile({ ...reading, specialty: 'Neurology' }), ...named, ...given)
    expect(status).toBe(1)
    expect(said).toContain('(contradicts_itself)')
    expect(said).not.toMatch(/^valid/m)
  })

  it('is judged under its own name alone', async () => {
    const { status, said } = await verify(keepFile(reading), key)
    expect(status).toBe(1)
    expect(said).toContain('check it with --profile reading-1. (profile_not_named)')
    expect((await verify(keepFile(outcome), ...named)).said).toContain('(missing_member)')
  })

  it.each([
    [[...named, '--letter', letter], 'Give --letter and --salt together.'],
    [[...named, '--letter', letter, '--salt', 'abc'], '--salt needs 64 lower-case hexadecimal digits.'],
    [[...named, '--proof', keepFile({})], 'Give --proof of a reading only with its --entry.'],
    [[...named, '--head', keepFile({})], 'Give --head only with a proof'],
    [[...named, '--subject', letter], 'give --letter, not --subject'],
    [['--profile', 'outcome-1', key, '--salt', vectors.salt], 'use only keys and --subject'],
    [[key, '--letter', letter], 'only with --profile reading-1'],
    [['--profile', 'reading-1', '--integrity-only'], '--integrity-only is for a record alone'],
  ])('is not asked about in another way: %j', async (args, why) => {
    const { status, said } = await verify(keepFile(reading), ...args)
    expect(status).toBe(2)
    expect(said).toContain(why)
  })
})

describe('what was chosen', () => {
  const chosen = ['--profile', 'outcome-1', key]

  it('is valid, and about the reading that is held', async () => {
    const { status, said } = await verify(keepFile(outcome), ...chosen, '--subject', keepFile(reading))
    expect(status).toBe(0)
    expect(said.match(/^valid +(?:outcome|subject|reading) /gm)).toHaveLength(3)
  })

  it('is valid and about another reading', async () => {
    const other = keepFile(vectors.valid[1]?.record ?? {})
    const { status, said } = await verify(keepFile(outcome), ...chosen, '--subject', other)
    expect(status).toBe(1)
    expect(said).toContain('(subject_mismatch)')
  })
})
