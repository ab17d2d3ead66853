// The page that checks evidence: what it says of what was given, what it never says, and that it can call nobody.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { runVerify } from '../../scripts/verify/run-verify.ts'
import type { ReportJson } from '../../src/evidence/verify/findings-report.ts'
import invalidFile from '../fixtures/attestation/invalid.json'
import unreadableFile from '../fixtures/attestation/unreadable.json'
import validFile from '../fixtures/attestation/valid.json'
import { bytesOfVector, type VectorFile } from '../fixtures/attestation/vector.ts'
import go from '../fixtures/checkpoints/go.json'
import {
  answer,
  makeEvidence,
  oldKey,
  publishedKey,
  REVOKED,
  strangerKey,
} from '../fixtures/evidence/invented-evidence.ts'
import { member, origin, visitor } from '../support/browser/browser.ts'
import { keyOf, ownOrganisation } from '../support/browser/people.ts'
import { CALLING, openVerifier, put, verdictOn } from '../support/browser/verifier.ts'

const evidence = await makeEvidence()
const { bundle, record } = evidence
const proof = bundle.organisation_log.proof
const { head } = bundle.organisation_log

const folder = mkdtempSync(join(tmpdir(), 'countersign-verify-page-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bottomOf = (box: { y: number; height: number } | null): number => (box === null ? Infinity : box.y + box.height)

describe('the checker', () => {
  it('has its button in the first screen, and shows the verdict there when the check ends', async () => {
    const page = await openVerifier()
    await page.setViewportSize({ width: 1440, height: 900 })
    const button = page.getByRole('button', { name: 'Check it' })
    await expect.poll(async () => bottomOf(await button.boundingBox())).toBeLessThanOrEqual(900)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Try an invented example' }).click()
    const heading = page.getByRole('heading', { name: 'Valid', exact: true })
    await expect.poll(async () => bottomOf(await heading.boundingBox())).toBeLessThan(422)
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Valid')
  })

  it('finds a bundle valid by a key that was given, and says what that does not mean', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', bundle)
    await page.getByText('It is an evidence bundle').waitFor()
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect
      .poll(() => page.getByRole('list', { name: 'What was found' }).getByRole('listitem').allInnerTexts())
      .toEqual([
        'The record is signed, and nothing in it was changed.',
        expect.stringContaining('The record’s id is that of the facts beside it'),
        'The record is entry 2 of 5 in the organisation’s log.',
        'Its hash is entry 4 of 6 in the public log.',
        'How the call ended was added to the same log later.',
        'By the list of keys inside it, the key was valid at that time.',
        expect.stringContaining('The public log has no entry for the organisation’s log yet'),
      ])
    // What its own list of keys says is a statement, without a tick.
    await expect.poll(() => page.locator('#verdict li.good').count()).toBe(5)
    await expect.poll(() => page.locator('#verdict').getByText('An invented example').count()).toBe(0)
    await page.getByText('The findings in exact terms').click()
    await expect
      .poll(() => page.locator('#verdict details').innerText())
      .toMatch(/organisation_log · valid · \S+, leaf 2 of 5/)
    await expect.poll(() => page.locator('#verdict details').innerText()).toMatch(/anchor · note · \S+ · not_anchored/)
    await expect.poll(() => page.locator('#verdict').getByText('Whose keys you gave').count()).toBe(1)
    await expect.poll(() => page.locator('#verdict').getByText('For which time each key counts').count()).toBe(1)
  })

  it('compares an answer with its bundle, and says what only the record proves without one', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', bundle)
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.getByText('What was answered: only the record is proven.').count()).toBe(1)
    await page.getByText('Compare with: answer').click()
    await put(page, 'Answer', answer.answer)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    const said = await page.locator('#verdict').innerText()
    expect(said).toContain('The answer that you gave is what was sent: 1 choice, 37 bytes')
    expect(said).not.toContain('only the record is proven')
    await put(page, 'Answer', answer.answer.replace('two', 'ten'))
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.getByText('answer_mismatch', { exact: true }).count()).toBe(1)
    await put(page, 'Answer', 'Take two a day.')
    await expect.poll(() => verdictOn(page)).toContain('It is neither one JSON object nor the events of a stream.')
  })

  it('names what was changed afterwards in the library’s own sentence', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', { ...record, outcome: 'BLOCKED' })
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.getByText('The signature is not one of this key over this record.').count()).toBe(1)
  })

  it.each([
    ['of nobody who is trusted', [strangerKey.publicKey], 'Not valid'],
    ['that was revoked since', { keys: [publishedKey(oldKey, REVOKED)] }, 'Not valid'],
    ['that a kept list has', { keys: [publishedKey(oldKey)] }, 'Valid'],
  ])('judges a record by a key %s', async (_, keys, verdict) => {
    const page = await openVerifier()
    await put(page, 'What to check', record)
    await put(page, 'Keys that you trust', Array.isArray(keys) ? keys.join('\n') : keys)
    await expect.poll(() => verdictOn(page)).toBe(verdict)
  })

  it('never calls valid what no key was asked of', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', record)
    await put(page, 'Keys that you trust', '{"keys": [')
    await page.getByLabel('No key: was a record changed?').check()
    await expect.poll(() => verdictOn(page)).toBe('Not proven')
    await page.getByText('The record is unchanged since it was signed. Who signed it is not known.').waitFor()
    await page.getByText('Give a key that you trust.').waitFor()
    await put(page, 'What to check', bundle)
    await expect.poll(() => verdictOn(page)).toBe('Not proven')
    await expect.poll(() => page.getByText('No change was found in the rest of the file.').count()).toBe(1)
    await put(page, 'What to check', head)
    await expect.poll(() => verdictOn(page)).toContain('Without a key only a record can be checked')
  })

  it('judges by the keys that came with the page where somebody trusts the service for them, and says so', async () => {
    const key = await keyOf(await ownOrganisation())
    const answered = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Say hello.' }] }),
    })
    const page = await openVerifier()
    await put(page, 'What to check', await answered.text())
    await page.getByLabel('The keys that this service publishes').check()
    await expect.poll(() => verdictOn(page)).toBe('Development key')
    const said = await page.locator('#verdict').innerText()
    expect(said).toContain('not by a key to rely on')
    expect(said).toContain('A key for development on one machine')
    expect(said).toMatch(/Decision\s+Passed signed as ALLOWED/)
    expect(said).not.toContain('keys that you gave')
    await expect.poll(() => page.locator('#verdict').getByRole('listitem').count()).toBeGreaterThan(0)
    await expect.poll(() => page.locator('#verdict .good').count()).toBe(0)
    await put(page, 'What to check', record)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
  })

  it('says what is missing instead of a verdict', async () => {
    const page = await openVerifier()
    await expect.poll(() => verdictOn(page)).toContain('Give what is to be checked.')
    await put(page, 'What to check', record)
    await expect.poll(() => verdictOn(page)).toContain('Give a key that you trust, or choose the published keys')
    await expect.poll(() => page.getByText('Give a key that you trust').count()).toBe(1)
    await put(page, 'Keys that you trust', 'no key')
    await expect.poll(() => verdictOn(page)).toContain('43 characters of base64url')
    await put(page, 'What to check', { keys: [publishedKey(oldKey)] })
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toContain('It is a list of keys, and nothing in it is signed')
    const empty = join(folder, 'empty.json')
    writeFileSync(empty, '')
    await page.locator('input[type=file]').first().setInputFiles(empty)
    await expect.poll(() => verdictOn(page)).toMatch(/This is empty\.\s+Choose the file/)
  })

  it('calls nothing a record that has no member of one', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', { specialty: 'Cardiology' })
    await expect.poll(() => verdictOn(page)).toContain('This is JSON without a record.')
    await put(page, 'What to check', JSON.stringify(record).slice(0, -9))
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Not checked')
    const said = await page.locator('#verdict').innerText()
    expect(said).toMatch(/Nothing was checked\. It is not valid JSON[^]*What to do\s+Choose the file as it was saved/)
    expect(said).not.toMatch(/[Uu]nreadable|not_json|Checked in/)
    await put(page, 'What to check', `tr_${'a'.repeat(32)}`)
    await expect.poll(() => verdictOn(page)).toMatch(/This is the id of a call\.\s+Open Calls, find it/)
    const key = `aqta_${'Ab3'.repeat(14)}`
    await put(page, 'What to check', key)
    await expect.poll(() => verdictOn(page)).toMatch(/text with an API key or another secret\.\s+Clear the field/)
    await expect.poll(() => page.locator('body').innerText()).not.toContain(key)
  })

  it('takes a long text that is pasted whole, without drawing all of it', async () => {
    const page = await openVerifier()
    const text = JSON.stringify(`${JSON.stringify(record)}\n`.repeat(600))
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', ${text})
      const pasting = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.querySelector('textarea').dispatchEvent(pasting)
    }`)
    await page.getByText('It has one document a line.').waitFor()
    await expect
      .poll(() => page.getByLabel('What to check', { exact: true }).inputValue())
      .toMatch(/^Pasted text, [\d.]+ KiB$/)
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.getByText('600 lines checked').count()).toBe(1)
  })

  it('checks a record against a proof, a head and a request that are given beside it', async () => {
    const page = await openVerifier()
    await put(page, 'What to check', record)
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await page.getByText('Compare with').click()
    await put(page, 'Proof of inclusion', proof)
    await expect.poll(() => verdictOn(page)).toBe('Not proven')
    await put(page, 'Signed head', head)
    await put(page, 'Request', { model: 'invented-model', messages: [] })
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await put(page, 'Request', { model: 'another-model', messages: [] })
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.getByText('The record is about another request.').count()).toBe(1)
  })

  it('checks a file of lines one by one and says which of them is wrong', async () => {
    const lines = Array.from({ length: 60 }, () => JSON.stringify(record))
    lines[41] = JSON.stringify({ ...record, model: 'another-model' })
    const file = join(folder, 'records.jsonl')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const page = await openVerifier()
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.getByText('It has one document a line.').waitFor()
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.getByText('60 lines checked, 1 invalid, 0 unreadable.').count()).toBe(1)
    await expect.poll(() => page.getByText('line 42', { exact: true }).count()).toBe(1)
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    await expect.poll(() => page.getByText(sha256).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    await page.getByText(sha256).waitFor()
    await page.getByText('records.jsonl, checked ').waitFor()
  })

  it('says of each line what the command says of it, in all of the format’s vectors', async () => {
    const files = [validFile, invalidFile, unreadableFile] as VectorFile[]
    const vectors = files.flatMap(({ vectors: all }) => all.map(bytesOfVector))
    const { pinned } = validFile
    const lines = vectors.filter((bytes) => !bytes.includes(0x0a))
    const file = join(folder, 'vectors.jsonl')
    writeFileSync(file, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
    const printed: string[] = []
    await runVerify([file, '--key', pinned, '--json'], {
      print: (text) => printed.push(text),
      report: (text) => expect.fail(text),
    })
    const told = JSON.parse(printed.join('')) as ReportJson

    const page = await openVerifier()
    await page.locator('input[type=file]').first().setInputFiles(file)
    await put(page, 'Keys that you trust', pinned)
    await verdictOn(page)
    const counts = `${told.checked} lines checked, ${told.invalid} invalid, ${told.unreadable} unreadable.`
    await expect.poll(() => page.locator('#verdict').innerText()).toContain(counts)
    const list = page.getByRole('list', { name: 'What was found' })
    await expect
      .poll(() => list.locator('.number').allInnerTexts())
      .toEqual(told.findings.map(({ line }) => `line ${line}`))
    await expect
      .poll(() => list.locator('code').allInnerTexts())
      .toEqual(told.findings.flatMap(({ kind, code }) => (kind === 'unreadable' ? [] : [code])))
  })

  it('checks an export of the service, and finds a line that was taken out', async () => {
    // Of its own organisation: one may not be exported twice at once, nor often in an hour.
    const organisation = await ownOrganisation()
    const key = await keyOf(organisation)
    await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Say hello.' }] }),
    })
    await using owner = await member(organisation.owner)
    const exported = await (await owner.context.request.get('/api/compliance/audit-logs')).text()
    const file = join(folder, 'export.jsonl')
    writeFileSync(file, exported)
    const keys = await (await fetch(`${origin}/v1/attestation/keys`)).text()

    const page = await openVerifier()
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.getByText('It is an export of audit entries.').waitFor()
    await put(page, 'Keys that you trust', keys)
    await expect.poll(() => verdictOn(page)).toBe('Development key')
    const found = page.getByRole('list', { name: 'What was found' }).getByRole('listitem')
    await expect.poll(() => found.first().innerText()).toContain('The export is complete.')
    await page.getByText('What the log says', { exact: true }).click()
    await expect.poll(() => page.locator('#verdict').innerText()).toContain('“facts” of')
    const lines = exported.split('\n')
    await expect.poll(() => page.locator('#verdict').innerText()).not.toMatch(/leaves|refused\.\w|other_calls/)
    await expect.poll(() => page.getByText(`${lines.length - 1} lines checked, 0 invalid`).count()).toBe(1)
    writeFileSync(file, lines.toSpliced(Math.floor(lines.length / 2), 1).join('\n'))
    await page.locator('input[type=file]').first().setInputFiles(file)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.getByText('Entries are missing before this one.').count()).toBe(1)
  })

  it('can be stopped in a long file, and then has found nothing', async () => {
    const file = join(folder, 'long.jsonl')
    writeFileSync(file, `${JSON.stringify(record)}\n`.repeat(20_000))
    const page = await openVerifier()
    await page.locator('input[type=file]').first().setInputFiles(file)
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await page.getByRole('button', { name: 'Check it' }).click()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. There is no verdict.').waitFor()
  })

  it('takes a verdict away with what it was about', async () => {
    const page = await openVerifier()
    await page.getByRole('button', { name: 'Try an invented example' }).click()
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.locator('#verdict').getByText('An invented example').count()).toBe(1)
    await expect.poll(() => page.locator('#verdict').getByText('Signed by the example’s key').count()).toBe(1)
    await expect.poll(() => page.locator('#verdict').getByText('you gave').count()).toBe(0)
    await page.getByLabel('No key: was a record changed?').check()
    await expect.poll(() => page.locator('#verdict').innerText()).toBe('')
    await page.getByRole('button', { name: 'The same, its outcome changed' }).click()
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await put(page, 'Keys that you trust', strangerKey.publicKey)
    await expect.poll(() => page.locator('#verdict').innerText()).toBe('')
  })

  it('checks a checkpoint by the log’s key and a quorum of witnesses', async () => {
    const [older, newest] = [7, 300].map((size) => go.checkpoints.find((made) => made.size === size))
    const page = await openVerifier()
    await put(page, 'What to check', newest?.cosigned.trimEnd())
    await put(page, 'Key of the log', go.log_vkey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.getByText('no witness was given').count()).toBe(1)
    await put(page, 'Keys of witnesses that you trust', go.witness_vkey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await page.getByText('Compare with').click()
    await put(page, 'Older checkpoint', older?.note)
    await expect.poll(() => verdictOn(page)).toBe('Not proven')
    await put(page, 'Older checkpoint', '')
    await put(page, 'At most how old', '24h')
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await expect.poll(() => page.locator('#verdict li code').getByText('too_old').count()).toBe(1)
    await put(page, 'At most how old', '')
  })

  it('shows markup in a document as the text that it is', async () => {
    const page = await openVerifier()
    const markup = '<img src=x onerror=alert(1)>'
    await put(page, 'What to check', { ...record, attestation_id: markup, model: markup })
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Not valid')
    await page.getByText('The findings in exact terms').click()
    await expect.poll(() => page.locator('#verdict').innerText()).toContain(markup)
    await expect.poll(() => page.locator('#page img').count()).toBe(0)
  })

  it('can call nobody', async () => {
    await using somebody = await visitor({ provoked: CALLING })
    await somebody.page.goto('/verify')
    const sent = "fetch('/healthz').then(() => 'sent', () => 'blocked')"
    await expect.poll(() => somebody.page.evaluate(sent)).toBe('blocked')
    await expect.poll(() => somebody.faults.join('\n')).toContain('policy: connect-src')
  })
})

describe('the checker as one file', () => {
  it('has the SHA-256 that the page and the file beside it say, and is only ever saved', async () => {
    const served = await fetch(`${origin}/verify-offline`)
    expect(served.headers.get('content-disposition')).toBe('attachment; filename="countersign-verify.html"')
    const hash = createHash('sha256')
      .update(new Uint8Array(await served.arrayBuffer()))
      .digest('hex')
    expect(await (await fetch(`${origin}/verify-offline.sha256`)).text()).toBe(`${hash}  countersign-verify.html\n`)
    const page = await openVerifier()
    await expect.poll(() => page.locator('#offline-sha256').innerText()).toBe(hash)
  })

  it('has a command beside it, with the SHA-256 that the page, the documents and the file beside it say', async () => {
    const served = await fetch(`${origin}/countersign-verify.mjs`)
    expect(served.headers.get('content-disposition')).toBe('attachment; filename="countersign-verify.mjs"')
    const hash = createHash('sha256')
      .update(new Uint8Array(await served.arrayBuffer()))
      .digest('hex')
    expect(await (await fetch(`${origin}/countersign-verify.sha256`)).text()).toBe(`${hash}  countersign-verify.mjs\n`)
    expect(await (await fetch(`${origin}/docs/check-records`)).text()).toContain(hash)
    const page = await openVerifier()
    await expect.poll(() => page.locator('#command-sha256').innerText()).toBe(hash)
  })

  it('checks without a server, and can call nobody', async () => {
    const file = join(folder, 'countersign-verify.html')
    writeFileSync(file, readFileSync('dist/pages/verify-offline.html'))
    await using somebody = await visitor({ provoked: new RegExp(`${CALLING.source}|^request: file:`) })
    const { page, context } = somebody
    await context.setOffline(true)
    await page.goto(pathToFileURL(file).href)
    await put(page, 'What to check', bundle)
    await put(page, 'Keys that you trust', oldKey.publicKey)
    await expect.poll(() => verdictOn(page)).toBe('Valid')
    await expect.poll(() => page.getByLabel('The keys that this service publishes').count()).toBe(0)
    const isSentTo = (address: string) => `fetch('${address}').then(() => 'sent', () => 'blocked')`
    await expect.poll(() => page.evaluate(isSentTo(`${origin}/healthz`))).toBe('blocked')
    await expect.poll(() => somebody.faults.join('\n')).toContain('Content Security Policy')
  })
})
