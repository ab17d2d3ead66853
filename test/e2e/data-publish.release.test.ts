import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { dataPublish, openDesk, type Desk } from '../support/e2e/data-publish.ts'
import { deploy } from '../support/e2e/deployment.ts'
import { withWaitingListStore } from '../../scripts/storage-bindings.ts'
import { makeSampleDataset, publishSampleIfEmpty } from '../../scripts/sample-dataset.ts'
import { readPublishedFile } from '../../src/referral/waiting-lists/read-published-file.ts'
import { SAMPLE_SHA256 } from '../../src/referral/waiting-lists/publication.policy.ts'
import { createWaitingListService } from '../../src/referral/waiting-lists/waiting-lists.service.ts'

const ROOT = join(import.meta.dirname, '../..')
const SAMPLE = join(ROOT, 'data/sample/invented-outpatients.csv')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-publish-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Storage of this test alone, in which nothing is held yet. */
async function newDesk(): Promise<Desk> {
  const desk = await openDesk(await mkdtemp(join(folder, 'state-')))
  onTestFinished(() => desk.close())
  return desk
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the invented sample', () => {
  it('is what its script makes, byte for byte, and small', async () => {
    const committed = await readFile(SAMPLE)
    expect(committed.equals(Buffer.from(makeSampleDataset()))).toBe(true)
    expect(createHash('sha256').update(committed).digest('hex')).toBe(SAMPLE_SHA256)
    expect(committed.length).toBeLessThan(150_000)
  })

  it('has the quirks of the long layout and no hospital without an invented name', async () => {
    const text = await readFile(SAMPLE, 'utf8')
    expect(text.startsWith('\u{feff}Archive_Date,Group,')).toBe(true)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
    const read = readPublishedFile(await readFile(SAMPLE))
    if (!read.ok) throw new Error(read.reason)
    const { dataset } = read
    expect(dataset.summary.archiveDates.map(({ archiveDate }) => archiveDate)).toStrictEqual([
      '2026-08-27',
      '2026-09-24',
    ])
    expect(dataset.summary.hospitals).toBe(14)
    const lists = dataset.specialties.flatMap((specialty) => specialty.lists.Adult.concat(specialty.lists.Child))
    const invented =
      /Invented|Placeholder|Exampletown|Dummy|Fictional|Madeup|Specimen|Pretend|Imaginary|Nowhere|Testfield|Mockingham/
    for (const { hospital } of lists) expect(hospital).toMatch(invented)
  })

  it('is published where nothing is served, and only there', async () => {
    const persistTo = join(folder, 'seed')
    expect(await withWaitingListStore({ persistTo }, publishSampleIfEmpty)).toBe('published')
    expect(await withWaitingListStore({ persistTo }, publishSampleIfEmpty)).toBe('kept')
  })
})

describe('npm run data:publish', () => {
  it('publishes into storage that stays, lists it, and refuses, each with its exit code', async () => {
    const state = ['--persist-to', join(folder, 'life')]
    const published = await dataPublish(SAMPLE, '--published-on', '2026-10-09', ...state)
    expect(published).toMatchObject({ code: 0, err: expect.stringContaining('(pointer)') as string })
    const listed = await dataPublish('--list', ...state)
    expect(listed).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^\* archive date 2026-09-24/) as string,
    })
    const refused = await dataPublish('--rollback', '0'.repeat(64), ...state)
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No stored version') as string })
    const misused = await dataPublish('--force')
    expect(misused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('npm run data:publish') as string })
  })

  it('publishes a file, lists it, refuses a bad one, and goes back', async () => {
    const { publish, store } = await newDesk()
    const text = await readFile(SAMPLE)
    const sha256 = createHash('sha256').update(text).digest('hex')

    const first = await publish(SAMPLE, '--published-on', '2026-10-09')
    expect(first.code).toBe(0)
    expect(first.out).toContain(sha256)
    expect(first.out).toMatch(/archive date +2026-09-24\n/)
    expect(first.out).toMatch(/lists made +\d+\n/)
    expect(first.err).toContain('(pointer)')

    const back = [SAMPLE, '--published-on', '2026-09-11', '--archive-date', '2026-08-27']
    const asked = await publish(...back)
    expect(asked).toMatchObject({ code: 1, out: '' })
    expect(asked.err).toContain('  older: The archive date goes back from 2026-09-24 to 2026-08-27.')
    expect(asked.err).toMatch(/^ {2}smaller: The rows of the archive date fell by [\d.]+ %/m)
    expect(asked.err).toMatch(/^ {2}incomplete: Missing, compared with the version before: /m)
    const earlier = await publish(...back, '--older', '--smaller', '--incomplete')
    expect(earlier).toMatchObject({ code: 0 })
    expect(earlier.out).toMatch(/archive date +2026-08-27\n/)
    expect(earlier.err).toContain('recorded readings')

    const bad = join(folder, 'bad.csv')
    await writeFile(bad, text.toString().replace('16-64, 0-3 Months,', '16-64, 0-3 Months,-'))
    const refused = await publish(bad, '--published-on', '2026-10-09')
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(/^ {2}line \d+: Expected a number of people/m)
    expect(refused.err).toContain('so the served version does not change.')

    const listed = await publish('--list')
    const lines = listed.out.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('*'))).toStrictEqual([expect.stringContaining('2026-08-27')])

    expect(await publish('--rollback', sha256.slice(0, 12))).toMatchObject({ code: 1 })
    const rolledBack = await publish('--rollback', sha256.slice(0, 12), '--archive-date', '2026-09-24')
    expect(rolledBack.code).toBe(0)
    expect(rolledBack.out).toContain('archive date 2026-09-24')
    const served = await createWaitingListService({ store }).currentDataset()
    expect(served).toMatchObject({
      outcome: 'ok',
      version: { archiveDate: '2026-09-24', publishedOn: '2026-10-09', hash: sha256 },
    })
  })

  it('shows what it would do, and does nothing', async () => {
    const { publish } = await newDesk()
    await publish(SAMPLE, '--published-on', '2026-10-09')
    const text = (await readFile(SAMPLE, 'utf8')).split('\r\n').filter((line) => !line.includes(',Urology,'))
    const next = join(folder, 'next.csv')
    await writeFile(next, text.join('\r\n'))

    const shown = await publish(next, '--published-on', '2026-10-10', '--dry-run', '--incomplete')
    expect(shown.out).toMatch(/^kind +outpatient$/m)
    expect(shown.out).toMatch(/^lists made +\d+$/m)
    expect(shown.out).toMatch(/^buckets left out +Small Volume Specialities: /m)
    expect(shown.out).toMatch(/^ {2}published on +2026-10-09 -> 2026-10-10$/m)
    expect(shown.out).toMatch(/^ {2}specialties gone +Urology$/m)
    expect(shown.out).toContain('Nothing was written.')
    expect(shown.err).not.toContain('Publishing:')
    expect(shown.code).toBe(0)
    const listed = await publish('--list')
    expect(listed.out.trimEnd().split('\n')).toHaveLength(1)
  })

  it('withdraws a wrong version, whose file stays, and never the one being served', async () => {
    const { publish, store } = await newDesk()
    const hash = createHash('sha256')
      .update(await readFile(SAMPLE))
      .digest('hex')
    await publish(SAMPLE, '--published-on', '2026-09-11', '--archive-date', '2026-08-27')
    await publish(SAMPLE, '--published-on', '2026-10-09')

    const served = await publish('--withdraw', hash, '--archive-date', '2026-09-24')
    expect(served).toMatchObject({ code: 1, out: '' })
    expect(served.err).toContain('This version is being served.')
    expect(served.err).toContain(`  ${hash}: archive date 2026-08-27`)

    const withdrawn = await publish('--withdraw', hash, '--archive-date', '2026-08-27')
    expect(withdrawn).toMatchObject({ code: 0, err: '' })
    expect(withdrawn.out).toContain(`/v1/files/${hash}`)
    const listed = await publish('--list')
    expect(listed.out.trimEnd().split('\n')).toStrictEqual([expect.stringMatching(/^\* archive date 2026-09-24/)])
    expect((await store.openFile(hash)).outcome).toBe('ok')
  })

  it.each<[string, string[], RegExp]>([
    ['a name that says inpatients', [], /The file's name, title or address says .* inpatient_day_case/],
    ['another kind than its name says', ['--kind', 'outpatient'], /but the file's name, title or address says inpat/],
  ])('does not take %s for outpatients', async (_what, args, reason) => {
    const wide = join(folder, 'OpenData_IPDCNational02_2026.csv')
    const rows = ['ArchiveDate,Adult_Child,Speciality,0-6 Months,18 Months +,Total', '24/09/2026,Adult,Urology,1,2,3']
    await writeFile(wide, `${rows.join('\r\n')}\r\n`)
    const { publish } = await newDesk()
    const refused = await publish(wide, '--published-on', '2026-10-09', ...args)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(reason)
  })

  it('publishes inpatients where they are named', async () => {
    const { publish } = await newDesk()
    const wide = join(folder, 'OpenData_IPDCNational02_2026.csv')
    const rows = ['ArchiveDate,Adult_Child,Speciality,0-6 Months,18 Months +,Total', '24/09/2026,Adult,Urology,1,2,3']
    await writeFile(wide, `${rows.join('\r\n')}\r\n`)
    const published = await publish(wide, '--published-on', '2026-10-09', '--kind', 'inpatient_day_case')
    expect(published.code).toBe(0)
    expect(published.out).toMatch(/^kind +inpatient_day_case$/m)
    const listed = await publish('--list')
    expect(listed.out).toContain('inpatient_day_case')
  })

  it('never gives the sample the name of the publisher', async () => {
    const { publish, store } = await newDesk()
    await publish(SAMPLE, '--published-on', '2026-10-09', '--title', 'Real figures')
    const listed = await createWaitingListService({ store }).listDatasets({ limit: 50 })
    expect(listed).toMatchObject({ body: { datasets: [{ source: { publisher: 'Countersign', url: null } }] } })
  })

  it('refuses to run beside another that has the same storage open, and says what to do', async () => {
    const state = await mkdtemp(join(folder, 'state-'))
    const desk = await openDesk(state)
    const second = await dataPublish(SAMPLE, '--published-on', '2026-10-09', '--persist-to', state)
    expect(second).toMatchObject({ code: 1, out: '' })
    expect(second.err).toMatch(
      /^Stopped: Another command uses the storage in .*\. Wait until it ends, then try again\./,
    )
    await desk.close()
    expect(await dataPublish(SAMPLE, '--published-on', '2026-10-09', '--persist-to', state)).toMatchObject({ code: 0 })
  })

  it('leaves no process behind when it is killed', async () => {
    const state = await mkdtemp(join(folder, 'state-'))
    const args = ['--env-file=.env', 'scripts/data-publish.ts', SAMPLE, '--published-on', '2026-10-09']
    const command = spawn(process.execPath, [...args, '--persist-to', state], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // Its first line of progress: the runtime is there.
    await once(command.stderr, 'data')
    const children = await childrenOf(command.pid ?? 0)
    expect(children.length).toBeGreaterThanOrEqual(2)
    command.kill('SIGKILL')
    await expect.poll(() => children.filter(isRunning), { timeout: 10_000 }).toEqual([])
    expect(await dataPublish(SAMPLE, '--published-on', '2026-10-09', '--persist-to', state)).toMatchObject({ code: 0 })
  })

  it('does the same to a deployment with --remote, by its routes alone', async () => {
    const service = await deploy({ sample: false })
    onTestFinished(() => service.close())
    vi.stubEnv('OPERATOR_TOKEN', service.operatorToken)
    onTestFinished(() => void vi.unstubAllEnvs())
    const remote = (...args: string[]) => dataPublish(...args, '--remote', '--url', service.url)
    const said = [SAMPLE, '--published-on', '2026-10-09', '--title', 'Real figures']
    expect((await remote(...said, '--dry-run')).out).toContain('Nothing was written.')
    expect(await remote('--list')).toMatchObject({ code: 0, out: 'No version is stored.\n' })
    expect(await remote(...said)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/\nPublished\./) as string,
    })
    const back = [...said, '--archive-date', '2026-08-27']
    const refused = await remote(...back)
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^ {2}older: The archive/m) as string,
    })
    expect(await remote(...back, '--older', '--smaller', '--incomplete')).toMatchObject({ code: 0 })
    const again = await remote('--rollback', SAMPLE_SHA256.slice(0, 8), '--archive-date', '2026-09-24')
    expect(again.out).toContain('Served now: archive date 2026-09-24')
    const withdrawn = await remote('--withdraw', SAMPLE_SHA256, '--archive-date', '2026-08-27')
    expect(withdrawn.out).toContain(`/v1/files/${SAMPLE_SHA256}`)
    const listed = await remote('--list')
    expect(listed.out).toMatch(/^\* archive date 2026-09-24.*Invented outpatient figures.*\n$/)
    vi.stubEnv('OPERATOR_TOKEN', 'wrong')
    expect(await remote('--list')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('(401') as string })
  })

  it('needs the address of a deployment, without falling back to local storage', async () => {
    const listed = await dataPublish('--list', '--remote')
    expect(listed).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Add --url') as string })
  })
})

describe('npm run data:publish, where nothing is held', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await openDesk(join(folder, 'empty'))
  })
  afterAll(() => desk.close())

  it('explains itself', async () => {
    const { code, out } = await desk.publish('--help')
    expect(code).toBe(0)
    expect(out).toContain('--rollback')
  })

  it.each([
    ['nothing', []],
    ['a file without its publication date', [SAMPLE]],
    ['two files', [SAMPLE, SAMPLE, '--published-on', '2026-10-09']],
    ['two jobs', ['--list', '--rollback', '0'.repeat(64)]],
    ['a rehearsal of a withdrawal', ['--withdraw', '0'.repeat(64), '--dry-run']],
    ['a kind that does not exist', [SAMPLE, '--published-on', '2026-10-09', '--kind', 'inpatient']],
    ['an unknown option', ['--force']],
    [
      'a source that is no web address',
      [SAMPLE, '--published-on', '2026-10-09', '--source-url', 'javascript:alert(1)'],
    ],
    ['an address for local use', ['--list', '--url', 'https://service.example']],
  ])('answers with the usage when it is given %s', async (_what, args) => {
    const { code, err } = await desk.publish(...args)
    expect(code).toBe(2)
    expect(err).toContain('npm run data:publish')
  })

  it.each([
    [
      'a file that is not there',
      [join('nowhere', 'file.csv'), '--published-on', '2026-10-09'],
      /^Stopped: nowhere.file\.csv does not exist\. Check the path\.\n$/,
    ],
    [
      'a folder',
      [join(ROOT, 'data'), '--published-on', '2026-10-09'],
      /^Stopped: \S+ is a folder\. Name the CSV file in it\.\n$/,
    ],
    [
      'a file in a file',
      [join(SAMPLE, 'file.csv'), '--published-on', '2026-10-09'],
      /does not exist\. Check the path\./,
    ],
    [
      'a publication date in the future',
      [SAMPLE, '--published-on', '2999-01-01'],
      /2999-01-01 is in the future: today/,
    ],
    ['a withdrawal of what is not held', ['--withdraw', '0'.repeat(64)], /No stored version/],
    ['a publication date before the archive date', [SAMPLE, '--published-on', '2026-09-01'], /must be after/],
    ['a hash that is not held', ['--rollback', '0'.repeat(64)], /No stored version/],
  ])('stops at %s', async (_what, args, reason) => {
    const { code, out, err } = await desk.publish(...args)
    expect({ code, out }).toStrictEqual({ code: 1, out: '' })
    expect(err).toMatch(reason)
  })
})
