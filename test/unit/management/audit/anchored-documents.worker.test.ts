// A bundle, a medical receipt and both exports carry the anchor of their log. Each is checked offline, and attacked as somebody would
// who hands it on.
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openPublicLog } from '../../../../src/public-log/public-log.client.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import type { Finding } from '../../../../src/evidence/verify/verification-finding.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { FindingsReport, type ReportedFinding } from '../../../../src/evidence/verify/findings-report.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { withKey } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundMedical, PATH, publicKey, type MedicalOrganisation } from '../receipts/medical-organisation.ts'
import { AUDIT_LOGS } from './exported-audit.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const options = () => ({ ...NO_OPTIONS, trust: { keys: [publicKey()] } })

/** Two hours later all that came is anchored, and a head of the public log covers it. */
async function anchorAll({ organisation }: MedicalOrganisation): Promise<void> {
  for (const minutes of [60, 80, 100]) {
    vi.setSystemTime(noon + minutes * MINUTE_MS)
    await organisation.runAlarm()
    await runDurableObjectAlarm(openPublicLog(env.PUBLIC_LOG, false))
  }
}

function checkLines(text: string): { findings: readonly ReportedFinding[]; exitCode: number } {
  const report = new FindingsReport()
  const checking = new LinesCheck(report, options())
  for (const line of text.trimEnd().split('\n')) checking.take(new TextEncoder().encode(line))
  checking.end()
  return { findings: report.toJson().findings, exitCode: report.exitCode() }
}

const anchorIn = (findings: readonly (Finding | ReportedFinding)[]) => findings.find(({ kind }) => kind === 'anchor')

async function textOf({ owner }: MedicalOrganisation, path: string): Promise<string> {
  const response = await owner.ask('GET', path)
  if (response.status !== 200) throw new Error(await response.text())
  return response.text()
}

async function bundleOf({ organisation }: MedicalOrganisation, id: string): Promise<JsonObject> {
  const issued = await organisation.service.createKey({ prefix: 'aqta_' }, organisation.id)
  const asked = await organisation.service.fetch(`/v1/attestations/${id}?bundle=true`, withKey(issued.key))
  return asked.json<JsonObject>()
}

it('carries no anchor in the first hour, and says so', async () => {
  const medical = await foundMedical()
  const id = await medical.run()
  const bundle = await bundleOf(medical, id)
  expect(bundle['anchor']).toBe(null)
  expect(anchorIn(checkDocument(bundle, options()))).toMatchObject({ valid: true, code: 'not_anchored' })
  const { findings, exitCode } = checkLines(await textOf(medical, AUDIT_LOGS))
  expect([anchorIn(findings), exitCode]).toMatchObject([{ valid: true, code: 'not_anchored' }, 0])
})

it('is in bundles and receipts, and covers what came before it', async () => {
  const medical = await foundMedical()
  const id = await medical.run()
  await anchorAll(medical)
  const later = await medical.run()
  const bundle = await bundleOf(medical, id)
  const findings = checkDocument(bundle, options())
  expect(findings.filter(({ valid }) => !valid)).toEqual([])
  expect(anchorIn(findings)).toMatchObject({ code: null, subject: expect.stringContaining('up to ') as string })
  expect(anchorIn(checkDocument(await bundleOf(medical, later), options()))).toMatchObject({ code: 'not_anchored_yet' })
  const receipt = JSON.parse(await textOf(medical, `${PATH}/${id}`)) as JsonObject
  const found = checkDocument(receipt, options())
  expect(found.filter(({ valid }) => !valid)).toEqual([])
  expect(anchorIn(found)).toMatchObject({ code: null })
  const { anchor: _, ...without } = receipt
  // A receipt is signed as a whole: nobody takes its anchor out.
  expect(checkDocument(without, options())).toMatchObject([{ valid: false, code: 'not_a_receipt' }])
  expect(checkDocument({ ...receipt, anchor: null }, options())[0]).toMatchObject({ code: 'signature_mismatch' })
})

it('is at the beginning of both exports; what is taken out is told, and what is another’s is refused', async () => {
  const medical = await foundMedical()
  await medical.run()
  await anchorAll(medical)
  const other = await foundMedical()
  await other.run()
  for (const organisation of [medical, other]) await organisation.organisation.set({ monthly_budget_eur: 5 })
  vi.setSystemTime(noon + 3 * 60 * MINUTE_MS)
  for (let n = 0; n < 4; n += 1) {
    vi.setSystemTime(Date.now() + 20 * MINUTE_MS)
    for (const { organisation } of [medical, other]) await organisation.runAlarm()
    await runDurableObjectAlarm(openPublicLog(env.PUBLIC_LOG, false))
  }
  const day = new Date(noon).toISOString().slice(0, 10)
  const range = `?start=${new Date(noon - DAY_MS).toISOString().slice(0, 10)}&end=${day}`
  for (const path of [AUDIT_LOGS, `${PATH}/export`]) {
    const text = await textOf(medical, `${path}${range}`)
    const { findings, exitCode } = checkLines(text)
    expect([exitCode, anchorIn(findings)?.valid]).toEqual([0, true])
    const head = JSON.parse(text.slice(0, text.indexOf('\n'))) as JsonObject
    const rest = text.slice(text.indexOf('\n'))
    const stripped = checkLines(JSON.stringify({ ...head, anchor: null }) + rest).findings
    expect(anchorIn(stripped)).toMatchObject({ code: 'not_anchored' })
    const others = await textOf(other, `${path}${range}`)
    const swapped = (JSON.parse(others.slice(0, others.indexOf('\n'))) as JsonObject)['anchor']
    expect(swapped).not.toBe(null)
    const attacked = checkLines(JSON.stringify({ ...head, anchor: swapped }) + rest)
    expect([attacked.exitCode, anchorIn(attacked.findings)]).toMatchObject([1, { code: 'anchor_of_another_log' }])
  }
})
