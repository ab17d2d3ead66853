// The page that checks evidence, on a signed reading and on what was chosen after it: the letter and its salt stay in the browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { hexToBytes } from '@noble/hashes/utils.js'
import { afterAll, describe, expect, it } from 'vitest'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { signOrganisationHead } from '../../src/evidence/records/tree-head.ts'
import { growTree } from '../fixtures/evidence/invented-evidence.ts'
import vectors from '../fixtures/reading/vectors.json' with { type: 'json' }
import { visitor } from '../support/browser/browser.ts'
import { openVerifier, put, verdictOn } from '../support/browser/verifier.ts'

const [reading, ask] = vectors.valid.map(({ record }) => record)
const [accepted, overridden] = vectors.outcomes.map(({ record }) => record)
const { entry, leaf_hash: leaf } = vectors.settlement

const orgId = reading?.org_id ?? ''
const tree = growTree([leaf, '00'.repeat(32), leaf].map(hexToBytes))
const treeHead = { orgId, treeSize: tree.size, root: tree.root() }
/** As GET /v1/referral/log/{position} answers. */
const logged = {
  head: await signOrganisationHead(treeHead, await importSigningKey(hexToBytes(vectors.seed))),
  proof: { v: 1, org_id: orgId, ...tree.inclusion(2) },
}

const decided = { decision: 'yes', specialty: 'Cardiology', ageGroup: 'Adult' }

/** The answer of POST /v1/referral/read. */
const answer = {
  ...decided,
  record: {
    id: reading?.reading_id,
    question: { salt: vectors.salt, textHmac: reading?.letter_commitment, action: reading?.action },
    outcome: decided,
    signed: reading,
    ledger: { position: 2, entry },
  },
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-verify-reading-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function fillIn(page: Page, document: unknown): Promise<void> {
  await put(page, 'What to check', document)
  await put(page, 'Keys that you trust', vectors.public_key)
  await page.getByRole('button', { name: 'Treat it as one' }).click()
}

async function openWith(document: unknown): Promise<Page> {
  const page = await openVerifier()
  await fillIn(page, document)
  return page
}

const sentencesOn = (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'What was found' }).getByRole('listitem').allInnerTexts()

const codesOn = (page: Page): Promise<string[]> => page.locator('#verdict li code').allInnerTexts()

describe('a signed reading', () => {
  it.each([
    ['a signed reading of a letter (reading-1)', answer],
    ['a signed reading of a letter (reading-1)', reading],
    ['what a clinician chose after a reading (outcome-1)', accepted],
  ])('is offered as %s, and is judged only after a person agreed', async (name, document) => {
    const page = await openVerifier()
    await put(page, 'What to check', document)
    await put(page, 'Keys that you trust', vectors.public_key)
    await page.getByText(`It says that it is ${name}.`).waitFor()
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    const said = await page.locator('#verdict').innerText()
    expect(said).toContain('if it is to be one, choose it under “Kind”. profile_not_named')
    await page.getByRole('button', { name: 'Treat it as one' }).click()
    await expect.poll(() => page.getByLabel('Kind', { exact: true }).inputValue()).toMatch(/^(?:reading|outcome)-1$/)
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    await expect.poll(() => verdictOn(page)).toBe('Valid')
  })

  it('is shown with its letter, its entry and its proof, with what that does not say', async () => {
    const page = await openWith(answer)
    await expect.poll(() => page.getByLabel('Salt', { exact: true }).inputValue()).toBe(vectors.salt)
    await expect.poll(() => page.getByLabel('Entry in the log', { exact: true }).inputValue()).toBe(entry)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    const before = await page.locator('#verdict').innerText()
    expect(before).toContain('Whether a letter that you have is the one that was read')
    expect(before).toContain('Whether the log has the reading')
    await put(page, 'Letter', vectors.letter)
    await put(page, 'Proof of inclusion', logged)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    expect(await sentencesOn(page)).toEqual([
      'The reading is signed, and nothing in it was changed.',
      'The letter is the one that was read.',
      'The entry has this reading’s hash.',
      'The log has this reading’s hash: it is entry 2 of 3.',
      'The head of the log is signed.',
      'Only the signed part is proven. The rest has the same id, letter and decision.',
    ])
    const said = await page.locator('#verdict').innerText()
    expect(said).toMatch(/Decision\s+yes\s+Specialty\s+Cardiology\s+Age group\s+Adult/)
    expect(said).toContain('Cardiology. Asked: gemini-3.6-flash of google. Named by the provider: gemini-3.6-flash')
    expect(said).toMatch(/Figures of\s+2026-09-24/)
    expect(said).toContain('Whether the reading was right.')
    expect(said).toContain('Whether the providers ran these models')
    expect(said).toContain('Who sent the letter.')
    expect(said).not.toMatch(/Whether a letter|Whether the log|\d\/5/)
  })

  it('is another letter’s where one line end is missing, and says which', async () => {
    const page = await openWith(answer)
    await put(page, 'Letter', vectors.letter.trimEnd())
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    expect(await codesOn(page)).toEqual(['letter_mismatch'])
    const file = join(folder, 'letter.txt')
    writeFileSync(file, vectors.letter)
    await page.getByRole('button', { name: 'Clear Letter' }).click()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file for Letter' }).click()
    await (await choosing).setFiles(file)
    await page.getByRole('button', { name: 'Clear Letter' }).waitFor()
    await expect.poll(() => verdictOn(page)).toBe('Valid')
  })

  it('is another entry’s, or another reading’s answer', async () => {
    const page = await openWith(answer)
    await put(page, 'Entry in the log', 'gAARIjNEVWZ3iJmqu8zd7v97fQ')
    await put(page, 'Proof of inclusion', logged)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.locator('#verdict').innerText()).toMatch(/Log entry not valid[^]+entry_mismatch/)
    const outcome = { ...answer.record.outcome, specialty: 'Neurology' }
    await put(page, 'What to check', { ...answer.record, outcome })
    await expect.poll(() => page.getByLabel('Entry in the log', { exact: true }).inputValue()).toBe(entry)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    expect(await codesOn(page)).toEqual(['members_differ'])
  })

  it('names the field that is missing or malformed', async () => {
    const page = await openWith(reading)
    await put(page, 'Letter', vectors.letter)
    await expect.poll(() => verdictOn(page)).toContain('The letter is checked with its salt. Give it too.')
    await put(page, 'Salt', vectors.salt.slice(1))
    await expect.poll(() => verdictOn(page)).toContain('A salt is 64 hexadecimal digits, in lower case.')
    await put(page, 'Salt', vectors.salt)
    await put(page, 'Proof of inclusion', logged)
    await expect.poll(() => verdictOn(page)).toContain('Give the entry too.')
    await expect
      .poll(() => page.getByLabel('Entry in the log', { exact: true }).getAttribute('aria-invalid'))
      .toBe('true')
    await put(page, 'Entry in the log', entry)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await page.getByLabel('No key: was a record changed?').check()
    await expect.poll(() => verdictOn(page)).toContain('Without a key only a record can be checked')
  })

  it('sends nothing while it is checked, and puts letter and salt nowhere', async () => {
    const page = await openVerifier()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await fillIn(page, reading)
    // The part that checks readings is loaded before anybody gives a letter.
    await expect.poll(() => sent.splice(0)).toEqual([expect.stringContaining('/profile-check-')])
    await put(page, 'Letter', vectors.letter)
    await put(page, 'Salt', vectors.salt)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.getByText('Letter and salt stay in this browser.').count()).toBe(1)
    expect(sent).toEqual([])
    const places = '{ ...localStorage }, { ...sessionStorage }, document.cookie'
    const kept = `JSON.stringify([location.href, history.length, history.state, ${places}])`
    const untouched = await (await openVerifier()).evaluate(kept)
    await expect.poll(() => page.evaluate(kept)).toBe(untouched)
  })

  it('is checked without a server too', async () => {
    const file = join(folder, 'countersign-verify.html')
    writeFileSync(file, readFileSync('dist/pages/verify-offline.html'))
    await using somebody = await visitor({ provoked: /^request: file:/ })
    const { page, context } = somebody
    await context.setOffline(true)
    await page.goto(pathToFileURL(file).href)
    await fillIn(page, answer)
    await put(page, 'Letter', vectors.letter)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    expect(await sentencesOn(page)).toContain('The letter is the one that was read.')
  })
})

describe('what a clinician chose', () => {
  it.each([
    [accepted, 'ACCEPTED', 'Cardiology'],
    [overridden, 'OVERRIDDEN', 'Respiratory Medicine'],
  ])('is about the reading that is given, or about another', async (outcome, decision, chosen) => {
    const page = await openWith(outcome)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await page.locator('#verdict').getByText('Whether the decision is about a record that you have').waitFor()
    await put(page, 'Record that it is about', answer)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    expect(await sentencesOn(page)).toEqual([
      'The choice is signed, and nothing in it was changed.',
      'The choice is about the reading that you gave, and follows from it.',
      'The reading is signed, and nothing in it was changed.',
    ])
    const said = await page.locator('#verdict').innerText()
    expect(said).toMatch(new RegExp(`Decision\\s+${decision}\\s+Chosen\\s+${chosen}\\s+Chosen by`))
    expect(said).toContain('Who chose: it names a role, and no person.')
    await put(page, 'Record that it is about', ask)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    expect(await codesOn(page)).toEqual(['subject_mismatch'])
  })
})
