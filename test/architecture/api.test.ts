// Pins the API as facts, one a line (scripts/document/api-facts.ts), and that none of them goes in silence.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiFacts } from '../../scripts/document/api-facts.ts'
import { unnamedBreaks } from '../../scripts/document/compatibility.ts'
import { shareRepeated } from '../../scripts/document/share-repeated.ts'
import { makeApiDocument } from '../../scripts/pages/worker-files.ts'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'

const FILE = 'test/fixtures/golden/api.txt'
const CHANGELOG = 'CHANGELOG.md'

const facts = apiFacts(await makeApiDocument())
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

it('has the facts that its golden file has', async () => {
  const known = existsSync(FILE) ? linesOf(readFileSync(FILE, 'utf8')) : []
  // Git merges this file by taking the lines of both sides (.gitattributes). That may leave neighbours in another order.
  if ([...new Set(known)].toSorted().join('\n') === facts.join('\n')) return
  await expect(`${facts.join('\n')}\n`).toMatchFileSnapshot('../fixtures/golden/api.txt')
})

const git = (...command: string[]): string =>
  execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 }).trim()

/** Facts and changelog of the last tag. Null without a tag, as in a shallow checkout, without git, or without the file there. */
function lastRelease(): { tag: string; before: string[]; changelog: string } | null {
  try {
    const tag = git('describe', '--tags', '--abbrev=0')
    return { tag, before: linesOf(git('show', `${tag}:${FILE}`)), changelog: git('show', `${tag}:${CHANGELOG}`) }
  } catch {
    return null
  }
}

const release = lastRelease()
const tag = release?.tag ?? 'the last tag (not compared: no tag with facts is here)'

it.skipIf(release === null)(`has every fact of ${tag}, or ${CHANGELOG} names it`, () => {
  const { before = [], changelog = '' } = release ?? {}
  const known = new Set(changelog.split('\n'))
  const added = readFileSync(CHANGELOG, 'utf8')
    .split('\n')
    .filter((line) => !known.has(line))
  expect(unnamedBreaks(before, facts, added.join('\n'))).toEqual([])
})

describe('a fact that is gone', () => {
  const before = ['GET /a 401 code b in Error', 'GET /a security session', 'Key.name string', 'Key.names.*? any']
  const gone = (changelog: string): string[] => unnamedBreaks(before, ['GET /a security session'], changelog)

  it('is refused unless the changelog names it', () => {
    expect(gone('Nothing of note.')).toEqual([before[0], before[2], before[3]])
    expect(gone('`GET /a 401 code b in Error` and `Key.name string` are gone, and `Key.names.*? any`.')).toEqual([])
    expect(unnamedBreaks(before, before, '')).toEqual([])
  })

  it('may be named with others by a `*`, and over the end of a line', () => {
    expect(gone('Sessions do not end: `* 401 code b in Error`.')).toEqual([before[2], before[3]])
    expect(gone('`Key.name\n  string`, `Key.names* any`')).toEqual([before[0]])
    expect(gone('`Key.name* *`')).toEqual([before[0]])
  })

  it('is not named by a part of it, by the words without backticks, or by a lone `*`', () => {
    const all = [before[0], before[2], before[3]]
    for (const changelog of [
      '`GET /a`',
      '`401 code b`',
      'Key.name string',
      '`*`',
      '`* *`',
      '`Key.name`',
      '`Key.name strin.`',
    ]) {
      expect(gone(changelog), changelog).toEqual(all)
    }
  })

  it('is one that changed, also where only a limit did', () => {
    expect(unnamedBreaks(['A.b? string'], ['A.b string', 'A.b? string(maxLength=5)'], '')).toEqual(['A.b? string'])
  })
})

describe('a new demand on a request', () => {
  const before = [
    'POST /a takes body application/json MakeA',
    'POST /a takes query q? string',
    'MakeA.b string',
    'A.b string',
  ]
  const breaks = (...more: string[]): string[] =>
    unnamedBreaks(before, [...before, ...more], '`POST /a takes header named string`')

  it.each(['POST /a takes header x string', 'POST /a takes query r integer', 'MakeA.c string', 'MakeA.c.d string'])(
    '%s is refused unless the changelog names it',
    (fact) => {
      expect(breaks(fact)).toEqual([fact])
    },
  )

  it.each([
    ['is named', 'POST /a takes header named string'],
    ['may be left out', 'POST /a takes header x? string'],
    ['may be left out of a body', 'MakeA.c? string'],
    ['is of an answer', 'A.c string'],
    ['is of a new operation', 'POST /b takes header x string'],
  ])('that %s is none', (_, fact) => {
    expect(breaks(fact)).toEqual([])
  })
})

describe('the facts of a document', () => {
  const operation = (members: object): object => ({ paths: { '/a': { post: members } } })

  it('are the same for what is said in place and for what is referred to', () => {
    const header = { description: 'Seconds.', required: true, schema: { type: 'integer', minimum: 1 } }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    const response = { description: 'Wrong.', 'x-error-codes': ['b', 'a'], content }
    const parameter = { in: 'query', name: 'q', schema: { type: 'string' } }
    const inPlace = operation({
      parameters: [parameter],
      requestBody: { required: true, content },
      responses: { 400: { ...response, headers: { 'retry-after': header } } },
    })
    const referring = {
      ...operation({
        parameters: [{ $ref: '#/components/parameters/Q' }],
        requestBody: { $ref: '#/components/requestBodies/Body' },
        responses: { 400: { $ref: '#/components/responses/Wrong' } },
      }),
      components: {
        headers: { Retry: header },
        parameters: { Q: parameter },
        requestBodies: { Body: { required: true, content } },
        responses: { Wrong: { ...response, headers: { 'retry-after': { $ref: '#/components/headers/Retry' } } } },
      },
    }
    expect(apiFacts(referring)).toEqual(apiFacts(inPlace))
    expect(apiFacts(inPlace)).toEqual([
      'POST /a 400 code a in Error',
      'POST /a 400 code b in Error',
      'POST /a 400 header retry-after integer(minimum=1)',
      'POST /a takes body application/json Error',
      'POST /a takes query q? string',
    ])
    expect(() => apiFacts(operation({ responses: { 400: { $ref: '#/components/responses/Other' } } }))).toThrow(
      '#/components/responses/Other refers to nothing',
    )
  })

  it('have every member of a schema but prose, whatever the order of its lists', () => {
    const schemaFacts = (schema: object): string[] => apiFacts({ components: { schemas: { A: schema } } })
    const variants = [
      { type: 'object', properties: { b: { enum: [2] } }, required: ['b'] },
      { type: 'object', properties: { c: { type: 'string', example: 'x' } }, additionalProperties: { type: 'null' } },
      { type: 'array', prefixItems: [{ type: 'null' }], items: { $ref: '#/components/schemas/A' }, maxItems: 2 },
    ]
    const expected = [
      'A list<null, ...A>(maxItems=2)|object',
      'A<1> object',
      'A<1>.b 2',
      'A<2> object',
      'A<2>.*? null',
      'A<2>.c? string',
    ]
    expect(schemaFacts({ anyOf: variants, title: 'All' })).toEqual(expected)
    expect(schemaFacts({ anyOf: variants.toReversed() })).toEqual(expected)
    expect(
      schemaFacts({ type: 'string', enum: ['e', 'a', 'b', 'd', 'c'], default: 'a', 'x-new': { z: 1, y: 2 } }),
    ).toEqual([
      'A is "a"',
      'A is "b"',
      'A is "c"',
      'A is "d"',
      'A is "e"',
      'A string(default="a", x-new={"y":2,"z":1})',
    ])
    expect(schemaFacts({ type: ['null', 'string'], enum: ['b', 'a'] })).toEqual(['A "a"|"b"'])
  })

  it('are those of its operations, with what they repeat said once or in each', () => {
    const header = { required: true, schema: { type: 'integer' } }
    const error = (code: string): object => ({
      'x-error-codes': [code],
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      headers: { 'retry-after': header },
    })
    const responses = { 200: { headers: { etag: { schema: { type: 'string' } } } }, 404: error('not_found') }
    const methods = { get: { responses: { ...responses, 409: error('conflict') } }, put: { responses } }
    const document = { paths: { '/a': methods } }
    const shared = shareRepeated(document)
    expect(inlineReferences(shared)).toMatchObject(document)
    expect(apiFacts(shared)).toEqual(apiFacts(document))
    expect(shared).toMatchObject({
      paths: { '/a': { put: { responses: { 404: { $ref: '#/components/responses/Error.not_found' } } } } },
      components: {
        headers: { 'retry-after': header },
        responses: { 'Error.not_found': { headers: { 'retry-after': { $ref: '#/components/headers/retry-after' } } } },
      },
    })
    expect(JSON.stringify(shared)).not.toContain('Error.conflict')
  })
})
