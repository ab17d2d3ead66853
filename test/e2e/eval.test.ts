// npm run eval: the arithmetic against figures worked out by hand, and the command against a deployment.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readLabelledLetters } from '../../scripts/eval/labelled-files.ts'
import { readLetters } from '../../scripts/eval/read-letters.ts'
import {
  cohensKappa,
  measure,
  readingsCsv,
  reportMeasures,
  type EvaluatedReading,
} from '../../scripts/eval/readings-report.ts'
import { shareOf } from '../../scripts/eval/shares.ts'
import { findIdentifiers } from '../../src/scanning/identifiers/find-identifiers.ts'
import type { Reading } from '../../src/referral/read.schema.ts'
import { postJson, type Deployment } from '../support/e2e/deployment.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'

const reader = (model: Reading['model'], specialty: string | null, consistency = 1): Reading => ({
  model,
  available: true,
  reason: null,
  specialty,
  ageGroup: 'Adult',
  consistency,
  taken: 5,
  samples: [],
})

const lost: Reading = { ...reader('Reader B', null, 0), available: false, reason: 'timeout', ageGroup: null }

function evaluated(label: string | null, a: Reading, b: Reading): EvaluatedReading {
  const agreed = a.available && b.available && a.specialty !== null && a.specialty === b.specialty
  return {
    letter: { id: '=1+1', specialty: label, ageGroup: 'Adult', problems: 1 },
    answer: {
      decision: agreed ? 'yes' : 'ask',
      specialty: agreed ? a.specialty : null,
      ageGroup: agreed ? 'Adult' : null,
      because: 'As the readers said.',
      readers: [a, b],
    },
  }
}

const both = (label: string | null, a: string | null, b: string | null, consistency?: number): EvaluatedReading =>
  evaluated(label, reader('Reader A', a), reader('Reader B', b, consistency))

describe('the measures', () => {
  it('count what was answered, what was right, and what was wrong and agreed', () => {
    const measures = measure([
      both('X', 'X', 'X'),
      both('X', 'X', 'X', 0.6),
      both('X', 'Y', 'Y', 0.6),
      both('X', 'X', 'Y'),
      both(null, null, null),
      evaluated('X', reader('Reader A', 'X'), lost),
    ])
    expect(measures).toMatchObject({
      letters: 6,
      coverage: { count: 3, n: 6 },
      accuracyAmongYes: { count: 2, n: 3 },
      wrongAndAgreed: { count: 1, n: 6 },
      ageGroupAmongRight: { count: 2, n: 2 },
      readers: [
        { available: { count: 6, n: 6 }, accuracy: { count: 5, n: 6 } },
        { available: { count: 5, n: 6 }, accuracy: { count: 3, n: 5 } },
      ],
      agreement: { count: 4, n: 5 },
      byConsistency: [
        { consistency: 1, accuracy: { count: 1, n: 1 } },
        { consistency: 0.6, accuracy: { count: 1, n: 2 } },
      ],
    })
  })

  it('count of letters about two problems those that were answered ask, and of these those that said why', () => {
    const about = (one: EvaluatedReading, because: string): EvaluatedReading => ({
      letter: { ...one.letter, problems: 2 },
      answer: { ...one.answer, because },
    })
    const why = 'Both readers found that the letter asks about two problems. The clinician chooses.'
    const { twoProblems } = measure([
      about(both(null, null, null), why),
      about(both(null, 'X', 'Y'), 'The readers named different specialties. The clinician chooses.'),
      about(both(null, 'X', 'X'), 'Both readers named the same specialty and the same age group.'),
      both('X', 'X', 'X'),
    ])
    expect(twoProblems).toMatchObject({ asked: { count: 2, n: 3 }, said: { count: 1, n: 2 } })
  })

  it('have Wilson intervals: 8 of 10 lies between 49.0% and 94.3%, 10 of 10 above 72.2%', () => {
    const { low, high } = shareOf(8, 10)
    expect([low, high]).toEqual([expect.closeTo(0.4902, 4), expect.closeTo(0.9433, 4)])
    expect(Object.values(shareOf(10, 10)).slice(3)).toEqual([expect.closeTo(0.7225, 4), expect.closeTo(1, 10)])
    expect(shareOf(0, 10)).toMatchObject({ low: 0, high: expect.closeTo(0.2775, 4) as number })
    expect(shareOf(0, 0)).toEqual({ count: 0, n: 0, share: null, low: null, high: null })
  })

  it('have Cohen’s kappa: 35 of 50 agreed where chance gives half is 0.4', () => {
    const times = (n: number, a: string, b: string) => Array.from({ length: n }, () => [a, b] as const)
    const pairs = [...times(20, 'y', 'y'), ...times(5, 'y', 'n'), ...times(10, 'n', 'y'), ...times(15, 'n', 'n')]
    expect(cohensKappa(pairs)).toBeCloseTo(0.4, 10)
    expect(cohensKappa(times(5, 'y', 'y'))).toBeNull()
    expect(cohensKappa([])).toBeNull()
  })

  it('have a kappa only where a model was at least one of the readers, and name those that answered', () => {
    const by = (...served: string[]): string => {
      const ofReader = (model: string) => ({ provider: 'p', model: 'm', servedModels: [model] })
      const models = [ofReader(served[0] ?? ''), ofReader(served[1] ?? '')]
      const named = (one: EvaluatedReading): EvaluatedReading => {
        const record = { models } as EvaluatedReading['answer']['record']
        return { ...one, answer: { ...one.answer, record } }
      }
      return reportMeasures(measure([named(both('X', 'X', 'X')), named(both('Y', 'Y', 'Y'))]), [])
    }
    expect(by('a-2025-04-14', 'b')).toMatch(
      /^2 letters were read\. .*\nReader A: a-2025-04-14\nReader B: b\n[^]*kappa +1\.000/,
    )
    expect(by('a-2000-01-01', 'b')).toMatch(/^2 letters were read, by the emulator as Reader A\.[^]*kappa +1\.000/)
    expect(by('a-2000-01-01', 'b-2000-01-01')).toMatch(
      /^2 letters were read, by the emulator[^]*kappa +none: the emulator/,
    )
  })

  it('are written for spreadsheets without a cell that is taken for a formula', () => {
    const [, row] = readingsCsv([both('Maxillo, Facial', 'X', 'X')]).split('\r\n')
    expect(row).toMatch(/^'=1\+1,"Maxillo, Facial",Adult,yes,X,Adult,false,,X,Adult,1,,,X,Adult,1,$/)
  })
})

describe('the labelled letters that come with it', () => {
  it('are thirty, five of them about two problems, of at most 4,000 characters, without an identifier', () => {
    const letters = readLabelledLetters('data/eval')
    expect([letters.length, letters.filter(({ problems }) => problems === 2).length]).toEqual([30, 5])
    for (const { id, text } of letters) {
      expect(text.length, id).toBeLessThan(4000)
      expect(findIdentifiers(text), id).toEqual([])
    }
  })
})

describe('the command', () => {
  let service: Deployment
  let folder: string
  let key: string
  beforeAll(async () => {
    ;({ service } = await sharedGateway())
    folder = await mkdtemp(join(tmpdir(), 'countersign-eval-'))
    ;({ key } = await service.createKey({ prefix: 'vk_live_' }))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const run = (...args: string[]) =>
    promisify(execFile)('node', ['scripts/eval.ts', ...args, '--base-url', service.url, '--key', key])

  it('reads the letters of the folder, reports every measure with n, and writes a row for each', async () => {
    const csv = join(folder, 'readings.csv')
    const { stdout } = await run('data/eval', '--csv', csv)
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^30 letters were read, by the emulator as Reader A and Reader B\./),
      'Reader A: gpt-4.1-mini-2000-01-01',
      'Reader B: gemini-3.6-flash-2000-01-01',
    ])
    expect(stdout).toMatch(/Cohen's kappa +none: the emulator/)
    for (const line of [
      'coverage',
      'of those about two problems',
      'wrong, and both',
      'Reader A right',
      'Reader B right',
    ]) {
      expect(stdout).toContain(line)
    }
    const [header, ...rows] = (await readFile(csv, 'utf8')).trim().split('\r\n')
    expect([header?.endsWith('b_served_models'), rows.length]).toEqual([true, 30])
    expect(rows.filter((line) => !line.endsWith(',gemini-3.6-flash-2000-01-01'))).toEqual([])
  })

  it('takes a CSV with the texts in it, and says which letters were not read', async () => {
    const file = join(folder, 'letters.csv')
    await writeFile(file, 'id,text,specialty,ageGroup\na,"Palpitations, a man of 60",Cardiology,\nb,PPS 1234567FA,,\n')
    const failed = await run(file).catch((error: { code: number; stdout: string }) => error)
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('b was not read: 422') as string })
  })

  it('goes on where a letter gets no answer, or one of something between, and says so', async () => {
    async function stand(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const asked = await readText(request)
      if (asked.includes('nobody')) response.destroy()
      else if (asked.includes('page')) response.writeHead(502).end('<!doctype html>Bad gateway')
      else if (asked.includes('nothing')) response.end('{}')
      else {
        const answer = await service.fetch('/v1/referral/read', { ...postJson(key, {}), body: asked })
        response.end(await answer.text())
      }
    }
    const between = createServer((request, response) => void stand(request, response))
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => between.close().closeAllConnections())
    const baseUrl = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
    const letterOf = (text: string) => ({ id: text, text, specialty: null, ageGroup: null, problems: 1 as const })
    const letters = ['nobody', 'page', 'palpitations', 'nothing'].map(letterOf)
    expect(await readLetters({ baseUrl, key }, letters)).toMatchObject([
      { kind: 'unread', id: 'nobody', why: 'no answer' },
      { kind: 'unread', id: 'page', why: '502 (not as this service answers)' },
      { kind: 'read', evaluated: { letter: { id: 'palpitations' } } },
      { kind: 'unread', id: 'nothing', why: '200 (not as this service answers)' },
    ])
  })

  it.each([
    ['id,text,specialty\na,x,Cardiology\n', 'row 1: missing or wrong ageGroup'],
    ['id,text,specialty,ageGroup,problems\na,x,Cardiology,,2\n', 'row 1: missing or wrong specialty'],
    ['id,text,specialty,ageGroup\na,x,Homeopathy,\n', 'not published there: Homeopathy'],
  ])('refuses a set that it cannot judge: %j', async (content, problem) => {
    const file = join(folder, 'wrong.csv')
    await writeFile(file, content)
    const failed = await run(file).catch((error: { code: number; stderr: string }) => error)
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) as string })
  })
})
