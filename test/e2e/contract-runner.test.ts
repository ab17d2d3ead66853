// The contract runner must find what is wrong: it is run against a small server that answers wrongly on purpose.
import { describe, expect, it } from 'vitest'
import { HELD_BECAUSE, HELD_ESTABLISHED, HELD_NOTE } from '../../scripts/contract/allowed-sentences.ts'
import { serveNationalFigures } from '../support/e2e/fake-figures.ts'
import { FAKE_LIMITED_KEY, type FakeAnswer, type Mistake } from '../support/e2e/fake-deployment.ts'
import { reportOnFake, runAgainstFake } from '../support/e2e/run-against-fake.ts'

/** A mistake in the held answers only. */
const inHeld =
  (change: (answer: FakeAnswer) => void): Mistake =>
  (answer) => {
    if (answer.body['decision'] === 'held') change(answer)
  }

/** A mistake in the answers of one status only. */
const inStatus =
  (status: number, change: (answer: FakeAnswer) => void): Mistake =>
  (answer) => {
    if (answer.status === status) change(answer)
  }

/** A mistake in the error object of every error. */
const inError =
  (members: Record<string, unknown>): Mistake =>
  ({ body }) => {
    if (typeof body['error'] === 'object') body['error'] = { ...body['error'], ...members }
  }

const noting = (note: string) => (answer: FakeAnswer) => {
  answer.body['note'] = note
}

type Case = readonly [title: string, mistake: Mistake, difference: string]

/** Each mistake is found in these groups, under the check of this name; null takes any check. */
function finds(groups: readonly string[], nameOf: (title: string) => string | null, cases: readonly Case[]): void {
  it.each(cases)('finds %s', async (title, mistake, difference) => {
    const { exitCode, found } = await reportOnFake(groups, mistake)
    const name = nameOf(title)
    expect(exitCode).toBe(1)
    expect(name === null ? [...found.values()].join('\n') : found.get(name)).toContain(difference)
  })
}

describe('the contract runner on a deployment that agrees', () => {
  it('exits with 0 and says so', async () => {
    const { exitCode, printed } = await runAgainstFake(['--only', 'held actions'])
    expect(exitCode).toBe(0)
    expect(printed).toContain('agrees with the contract')
    expect(printed).toContain('not run: rate limit')
    expect(printed).not.toContain('DIFFER')
  })

  it('prints one JSON document on demand, and nothing else', async () => {
    const { report } = await reportOnFake(['--only', 'held actions'])
    expect(report).toMatchObject({ ok: true, checks: 5, differing: 0 })
    expect(report.results[0]).toMatchObject({ group: 'held actions', expected: '409 held', got: '409 held', ok: true })
  })

  it('finds nothing to say about its headers and errors', async () => {
    const { found } = await reportOnFake(['--only', 'held', '--only', 'paths', '--only', 'every response'])
    expect([...found.keys()]).not.toContain('one envelope for every error')
    expect([...found.keys()]).not.toContain('nothing that was sent is repeated')
  })
})

describe('the contract runner on a deployment that gets every answer wrong', () => {
  it('reports every call it makes and still comes to an end', async () => {
    const { exitCode, report } = await reportOnFake(['--limited-key', FAKE_LIMITED_KEY], (answer) => {
      Object.assign(answer, { status: 200, headers: {}, body: {} })
    })
    expect(exitCode).toBe(1)
    expect(report.checks).toBeGreaterThan(90)
    expect(report.results.filter(({ ok }) => ok).map(({ name }) => name)).not.toContain('choose_destination')
  })
})

describe('the contract runner on a held answer that is wrong', () => {
  const cases: readonly Case[] = [
    ['has another status', inHeld((answer) => (answer.status = 200)), 'status 200, not 409'],
    ['lacks a member', inHeld((answer) => delete answer.body['note']), 'note: '],
    ['has a member too many', inHeld((answer) => (answer.body['hint'] = 'x')), 'body: '],
    [
      'echoes another action',
      inHeld((answer) => (answer.body['action'] = 'read')),
      'action is "read", not "choose_destination"',
    ],
    ['may be retried', inHeld((answer) => delete answer.headers['x-should-retry']), 'x-should-retry is absent'],
    ['establishes nothing', inHeld((answer) => (answer.body['established'] = [])), 'established: '],
    ['has another note', inHeld(noting('Please ask the clinician.')), 'both recorded'],
    [
      'gives advice in because',
      inHeld(({ body }) => (body['because'] = 'Choosing is clinical. Mercy has the shortest list.')),
      'because: it is not the sentence that the contract has for the action',
    ],
    [
      'gives the reason of another action',
      inHeld(({ body }) => (body['because'] = HELD_BECAUSE['assign_urgency'])),
      'because: it is not the sentence',
    ],
    [
      'establishes what nothing does',
      inHeld(({ body }) => (body['established'] = [...HELD_ESTABLISHED, 'This hospital suits the patient.'])),
      'established.2: it is not a sentence',
    ],
    [
      'gives advice in what it cannot tell',
      inHeld(({ body }) => (body['cannot_tell_you_about_this_patient'] = ['Refer today.'])),
      'cannot_tell_you_about_this_patient.0: ',
    ],
    ['names somebody else', inHeld(({ body }) => (body['who_holds_this'] = 'You.')), 'who_holds_this: '],
    ['adds advice to the note', inHeld(noting(`${HELD_NOTE} Refer today.`)), 'both recorded'],
    ['notes the refusal alone', inHeld(noting('The refusal is recorded.')), 'both recorded'],
    ['denies the record', inHeld(noting('The request and the refusal are not both recorded.')), 'both recorded'],
    ['says it in pieces', inHeld(noting('This request was refused. A refusal. Both. Recorded.')), 'both recorded'],
  ]

  finds(['--only', 'held actions'], () => 'choose_destination', cases)

  it('prints the difference under the check', async () => {
    const wrong = inHeld((answer) => (answer.status = 500))
    const { exitCode, printed } = await runAgainstFake(['--only', 'held actions'], wrong)
    expect(exitCode).toBe(1)
    expect(printed).toMatch(/DIFFER choose_destination +409 held +500 held\n +- status 500, not 409/)
    expect(printed).toContain('differs from the contract in 5 of them')
  })
})

describe('the contract runner on what every response must have', () => {
  const cases: readonly Case[] = [
    ['x-request-id', ({ headers }) => delete headers['x-request-id'], 'absent'],
    ['server-timing', ({ headers }) => delete headers['server-timing'], 'absent'],
    ['x-content-type-options', ({ headers }) => (headers['x-content-type-options'] = 'sniff'), 'is sniff'],
    ['x-ratelimit-reset', ({ headers }) => (headers['x-ratelimit-reset'] = '60'), 'is 60'],
    ['no failure of the service (5xx)', inHeld((answer) => (answer.status = 503)), 'status 503'],
    ['no average, rank, score or urgency', inHeld(({ body }) => (body['averageWait'] = 3)), 'averageWait'],
    ['no average, rank, score or urgency', inHeld(({ body }) => (body['lists'] = [{ rank: 1 }])), 'rank'],
    ['nothing that was sent is repeated', (answer, { path }) => (answer.headers['x-path'] = path), '/v1/quillwort'],
    ['one envelope for every error', inError({ type: 'permission_error' }), 'error.type of not_found'],
    ['one envelope for every error', inError({ request_id: 'req_other000' }), 'error.request_id'],
    ['one envelope for every error', inError({ message: '' }), 'error.message'],
    ['one envelope for every error', inStatus(404, ({ body }) => (body['detail'] = 'x')), 'body: '],
  ]

  finds(['--only', 'held', '--only', 'paths', '--only', 'every response'], (title) => title, cases)
})

describe('the contract runner on identifiers', () => {
  type Found = { shape: string; start: number; end: number }
  const inIdentifiers =
    (change: (found: Found) => object): Mistake =>
    (answer) => {
      answer.identifiers = answer.identifiers.map((found) => ({ ...found, ...change(found) }))
    }

  it('accepts offsets in code points', async () => {
    const { found } = await reportOnFake(['--only', 'identifiers'])
    expect([...found.keys()]).not.toContain('email_address')
  })

  const cases: readonly Case[] = [
    [
      'offsets in UTF-16 units',
      inIdentifiers(({ start, end }) => ({ start: start + 40, end: end + 40 })),
      'is not covered',
    ],
    ['an offset that ends early', inIdentifiers(({ end }) => ({ end: end - 1 })), 'is not covered'],
    ['another name for the shape', inIdentifiers(() => ({ shape: 'email' })), 'is not covered'],
    ['an untrue word about what is kept', inError({ message: 'Nothing was read or stored.' }), 'what is kept of the'],
    ['the characters found', inIdentifiers(() => ({ value: 'patient@example.com' })), 'error.identifiers: '],
  ]

  finds(['--only', 'identifiers'], () => 'email_address', cases)

  it('finds a shape that is let through', async () => {
    const { found } = await reportOnFake(['--only', 'identifiers'])
    expect(found.get('eircode')).toBe('status 404, not 422')
  })
})

describe('the contract runner on the rate limit', () => {
  const flood = ['--limited-key', FAKE_LIMITED_KEY, '--only', 'rate limit']

  it('floods the limited key until it is refused', async () => {
    const { exitCode, report } = await reportOnFake(flood)
    expect(exitCode).toBe(0)
    expect(report.results).toMatchObject([{ got: '429 rate_limit_exceeded', ok: true }])
  })

  const cases: readonly Case[] = [
    ['no retry-after', inStatus(429, ({ headers }) => delete headers['retry-after']), 'retry-after is not'],
    ['a retry-after of 0', inStatus(429, ({ headers }) => (headers['retry-after'] = '0')), 'retry-after is not'],
    [
      'another retry-after in the body',
      inStatus(429, ({ headers }) => (headers['retry-after'] = '8')),
      'error.retry_after is 7, not 8',
    ],
    ['no retry-after-ms', inStatus(429, ({ headers }) => delete headers['retry-after-ms']), 'retry-after-ms'],
    ['calls left', inStatus(429, ({ headers }) => (headers['x-ratelimit-remaining'] = '1')), 'x-ratelimit-remaining'],
    ['no refusal at all', inStatus(429, (answer) => (answer.status = 200)), 'no call was refused'],
  ]

  finds(flood, () => null, cases)
})

describe('the contract runner on the published figures', () => {
  type List = { hospital: string; waiting: { band: string; people: number }[]; total: number }
  const only = ['--only', 'lists made again']

  /** A mistake in the lists of every answer that has some. */
  const inLists =
    (change: (lists: List[]) => List[]): Mistake =>
    ({ body }) => {
      if (Array.isArray(body['waitingLists'])) body['waitingLists'] = change(body['waitingLists'] as List[])
    }

  const inFigures =
    (change: (list: List) => object): Mistake =>
    (answer, request) =>
      inLists((lists) => lists.map((list) => ({ ...list, ...change(list) })))(answer, request)

  it('makes the lists of several specialties again, with brackets in their names and without, and agrees', async () => {
    const { exitCode, report } = await reportOnFake(only)
    expect(report.results.filter(({ ok }) => !ok)).toEqual([])
    expect(exitCode).toBe(0)
    expect(report.results.map(({ name }) => name)).toEqual([
      'the specialties, in the order of the file',
      'Otolaryngology (ENT): 3 lists, as the file has them',
      'Child/Adolescent Psychiatry: 1 lists, as the file has them',
      'Cardiology: 4 lists, as the file has them',
      'Urology: 2 lists, as the file has them',
    ])
  })

  it('reads a file by specialty too, whose equal rows are added up', async () => {
    const { exitCode, report } = await reportOnFake(only, serveNationalFigures)
    expect(report.results.filter(({ ok }) => !ok)).toEqual([])
    expect(exitCode).toBe(0)
  })

  const cases: readonly Case[] = [
    [
      'lists sorted by size',
      inLists((lists) => lists.toSorted((a, b) => b.total - a.total)),
      'is not the one the file',
    ],
    ['every total one higher', inFigures(({ total }) => ({ total: total + 1 })), 'the total of list 1 is'],
    ['the last list dropped', inLists((lists) => lists.slice(0, -1)), 'is missing'],
    ['a list too many', inLists((lists) => [...lists, ...lists.slice(-1)]), 'lists, not'],
    [
      'bands the wrong way round',
      inFigures(({ waiting }) => ({ waiting: waiting.toReversed() })),
      'the bands of list 1',
    ],
    ['a band left out', inFigures(({ waiting }) => ({ waiting: waiting.slice(1) })), 'the bands of list 1'],
    [
      'a zero put in for a band without figures',
      inFigures(({ waiting }) => ({ waiting: [...waiting, { band: '15-18 Months', people: 0 }] })),
      'the bands of list 1',
    ],
    ['a hospital under another name', inFigures(() => ({ hospital: 'Elsewhere' })), 'is not the one the file has'],
    ['a code without its leading zeros', inFigures(() => ({ hospitalCode: '1' })), 'the codes of list 1 are not'],
    ['a specialty without its code', inFigures(() => ({ specialtyCode: null })), 'the codes of list 1 are not'],
    ['lists of another specialty', inFigures(() => ({ specialty: 'Urology' })), 'are of others'],
    [
      'a file of other bytes',
      (answer) => {
        if (answer.text !== null) answer.text = answer.text.replace(',41', ',42')
      },
      'another hash',
    ],
  ]

  finds(only, () => null, cases)

  const inKind = (kind: string): Mistake =>
    inLists((lists) =>
      lists.map((list) => ({ ...list, source: { ...('source' in list ? (list.source as object) : {}), kind } })),
    )

  type Specialty = { name: string; code: string | null; ageGroups: string[]; lists: number }
  const inSpecialties =
    (change: (specialties: Specialty[]) => Specialty[]): Mistake =>
    ({ body }) => {
      if (Array.isArray(body['specialties'])) body['specialties'] = change(body['specialties'] as Specialty[])
    }

  const other = 'is not the one the file has there'
  const alchemy = { name: 'Alchemy', code: '0100', ageGroups: ['Adult'], lists: 1 }
  const specialties: readonly Case[] = [
    ['the last specialty dropped', inSpecialties((all) => all.slice(0, -1)), other],
    ['specialties in another order', inSpecialties((all) => all.toReversed()), other],
    [
      'an age group that has no list',
      inSpecialties((all) => all.map((each) => ({ ...each, ageGroups: ['Adult', 'Child'] }))),
      other,
    ],
    ['a specialty that the file has not', inSpecialties((all) => [...all.slice(0, -1), alchemy]), other],
  ]
  finds(only, () => 'the specialties, in the order of the file', specialties)

  it('finds lists of another kind than the answer says', async () => {
    const mistake = inKind('gi_endoscopy')
    const { exitCode, found } = await reportOnFake(['--only', 'waiting lists'], mistake)
    expect(exitCode).toBe(1)
    expect(found.get('no age group: Adult')).toContain('another source than the answer')
  })

  it('finds advice among what lists cannot establish', async () => {
    const mistake: Mistake = ({ body }) => {
      if (Array.isArray(body['cannotEstablish'])) body['cannotEstablish'] = ['Anything but that Alpha is quickest.']
    }
    const { found } = await reportOnFake(['--only', 'waiting lists'], mistake)
    expect(found.get('no age group: Adult')).toContain('cannotEstablish.0: it is not a sentence')
  })

  it('finds a log that is named by a placeholder, and the parts that fail', async () => {
    const { found, report } = await reportOnFake(['--only', 'documents'], (answer, { path }) => {
      if (path.endsWith('/checkpoint')) answer.text = 'countersign.example/v1/public/transparency\n1\n'
      if (path === '/healthz') Object.assign(answer, { status: 503, body: { status: 'degraded', parts: ['tables'] } })
    })
    expect(found.get('/v1/public/transparency/checkpoint without a key: the log has a name of its own')).toContain(
      'countersign.example/v1/public/transparency is a placeholder',
    )
    expect(report.results.map(({ got }) => got)).toContain('503 tables')
  })

  it('finds figures of no kind, and a health check with other dates', async () => {
    const { found } = await reportOnFake(['--only', 'lists made again', '--only', 'documents'], ({ body }) => {
      if (body['dataset'] !== undefined) body['dataset'] = { archiveDate: '2026-09-24', publishedOn: '2026-10-08' }
      delete (body['source'] as { kind?: string } | undefined)?.kind
    })
    expect(found.get('Cardiology: 4 lists, as the file has them')).toContain('source.kind')
    expect(found.get('/healthz without a key: the dates of the figures served')).toBe(
      'publishedOn is not that of /v1/specialties',
    )
  })
})
