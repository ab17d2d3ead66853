// countersign-verify on the record of a person's decision: judged only where its format is named, and apart from what it is about.
import { describe, expect, it } from 'vitest'
import { makeAcceptance, makeRefusal } from '../fixtures/evidence/invented-acceptance.ts'
import { oldKey, strangerKey } from '../fixtures/evidence/invented-evidence.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'

const subject = await makeRefusal()
const record = await makeAcceptance(subject)
const named = ['--profile', 'accept-1', '--key', oldKey.publicKey]

describe('with its format named', () => {
  it('is valid, and says what was decided and by whom', async () => {
    const { status, said } = await verify(keepFile(record), ...named)
    expect(status).toBe(0)
    expect(said).toMatch(/^valid +acceptance .*OVERRIDDEN {2}usr_.* pinned key\n$/)
  })

  it('is found to be about the record that is held, which is checked as well', async () => {
    const { status, said } = await verify(keepFile(record), ...named, '--subject', keepFile(subject))
    expect(status).toBe(0)
    expect(said.match(/^valid +(?:acceptance|subject|record) /gm)).toHaveLength(3)
  })

  it('is valid and yet about another record: two findings', async () => {
    const { status, said } = await verify(keepFile(record), ...named, '--subject', keepFile(await makeRefusal()))
    expect(status).toBe(1)
    expect(said).toMatch(/^valid +acceptance /)
    expect(said).toMatch(/^invalid +subject .*It is about another record.*\(subject_mismatch\)$/m)
    expect(said).toMatch(/^valid +record /m)
  })

  it.each<[string, object]>([
    ['signature_mismatch', { decision: 'ACCEPTED' }],
    ['unknown_member', { reviewer_name: 'somebody' }],
    ['unsupported_version', { v: 1 }],
  ])('is refused where it was changed: %s', async (code, change) => {
    const { status, said } = await verify(keepFile({ ...record, ...change }), ...named)
    expect(status).toBe(1)
    expect(said).toMatch(new RegExp(`^invalid +acceptance .*\\. \\(${code}\\)$`, 'm'))
  })

  it('is refused under another key, and asks for one', async () => {
    const other = await verify(keepFile(record), '--profile', 'accept-1', '--key', strangerKey.publicKey)
    expect(other).toMatchObject({ status: 1, said: expect.stringContaining('key_not_trusted') as string })
    expect(await verify(keepFile(record), '--profile', 'accept-1')).toMatchObject({ status: 2 })
    expect(await verify(keepFile(record), '--profile', 'accept-1', '--integrity-only')).toMatchObject({ status: 2 })
  })

  it('does not stand for the record of a decision', async () => {
    const { status, said } = await verify(keepFile(subject), ...named)
    expect(status).toBe(1)
    expect(said).toContain('missing_member')
  })

  it('may come many to a file', async () => {
    const lines = [record, await makeAcceptance(subject), subject].map((line) => JSON.stringify(line)).join('\n')
    const { status, said } = await verify(keepFile(lines), ...named)
    expect(status).toBe(1)
    expect(said).toContain('3 checked, 1 invalid, 0 unreadable')
  })
})

describe('without', () => {
  it('is refused with a sentence that names it', async () => {
    const { status, said } = await verify(keepFile(record), '--key', oldKey.publicKey)
    expect(status).toBe(1)
    expect(said).toMatch(/^invalid .*check it with --profile accept-1\. \(profile_not_named\)$/m)
    expect(await verify(keepFile(record), '--key', oldKey.publicKey, '--as', 'record')).toMatchObject({ status: 1 })
  })

  it.each([
    [['--profile', 'action-1'], '--profile needs accept-1, reading-1, outcome-1.'],
    [['--profile', 'accept-1', '--as', 'record'], '--profile takes no --as, --request, --answer or --max-age.'],
    [['--profile', 'accept-1', '--entry', 'entry.bin'], 'With --profile accept-1, use only keys and --subject.'],
    [['--subject', 'record.json'], 'Use --subject only with --profile.'],
    [['--profile', 'accept-1', '--lines', '--subject', 'record.json'], 'A file of lines takes no'],
    [['--profile', 'accept-1', '--log', 'name+0+key'], 'A checkpoint takes only'],
  ])('is not asked for in any other way: %j', async (args, why) => {
    const { status, said } = await verify(keepFile(record), ...args)
    expect(status).toBe(2)
    expect(said).toContain(why)
  })
})
