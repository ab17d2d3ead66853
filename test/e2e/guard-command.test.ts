// The guard command: what it prints, what it never prints, and how it ends.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IDENTIFIER_SHAPES } from '../../src/scanning/identifiers/shapes/identifiers.ts'

const COMMAND = fileURLToPath(new URL('../../scripts/guard.ts', import.meta.url))
let folder = ''

function guard(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { input, encoding: 'utf8' })
  return { status, stdout, stderr }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guard-'))
  mkdirSync(join(folder, 'letters', 'old'), { recursive: true })
  writeFileSync(join(folder, 'letters', 'a.txt'), 'Seen with a 3/12 history.\nBP 120/80, GCS 15/15.\n')
  writeFileSync(join(folder, 'letters', 'b.txt'), 'Dear colleague,\n🩺 tel 087 123 4567, DOB 12/03/1970\n')
  writeFileSync(join(folder, 'letters', 'old', 'c.txt'), 'T12 were compressed.')
  writeFileSync(join(folder, 'letters', 'old', 'scan.bin'), Buffer.from([1, 0, 2, 0]))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('refused letters', () => {
  it('are named by file, line, column and shape, and end the command with 1', () => {
    const file = join(folder, 'letters', 'b.txt')
    const { status, stdout } = guard([file])
    expect(stdout).toBe(`${file}:2:7: phone_number\n${file}:2:25: date_of_birth\n`)
    expect(status).toBe(1)
  })

  it('never have their characters printed', () => {
    const { stdout, stderr } = guard([join(folder, 'letters')])
    expect(stdout + stderr).not.toMatch(/087|4567|1970/)
  })

  it('are counted for a folder, its subfolders included and other files left out', () => {
    const { status, stdout } = guard([join(folder, 'letters')])
    expect(stdout).toContain('1 of 3 files would be refused (33.3 %)')
    expect(status).toBe(1)
  })

  it('are only counted with --quiet', () => {
    const { stdout } = guard(['--quiet', join(folder, 'letters')])
    expect(stdout).toBe('1 of 3 files would be refused (33.3 %)\n')
  })

  it('are read from standard input', () => {
    const { status, stdout } = guard([], 'Seen on 12/03/2021')
    expect(stdout).toBe('(standard input):1:9: date\n')
    expect(status).toBe(1)
  })
})

describe('letters that pass', () => {
  it('end the command with 0', () => {
    expect(guard([join(folder, 'letters', 'a.txt')])).toMatchObject({
      status: 0,
      stdout: 'Nothing would be refused.\n',
    })
    expect(guard(['-'], 'B12 5ug, L4/5, 6/40')).toMatchObject({ status: 0 })
  })
})

describe('a corpus', () => {
  it('is counted by shape, with the share of its files that would be refused', () => {
    const { status, stdout } = guard(['corpus', join(folder, 'letters')])
    const lines = stdout.split('\n').map((line) => line.split(/\s{2,}/))
    expect(lines[0]).toEqual(['shape', 'hits', 'files'])
    expect(lines.slice(1, -4).map(([shape]) => shape)).toEqual(IDENTIFIER_SHAPES)
    expect(lines.filter(([, hits = '0']) => /^[1-9]/.test(hits))).toEqual([
      ['date_of_birth', '1', '1'],
      ['phone_number', '1', '1'],
      ['total', '2', '1'],
    ])
    expect(stdout).toMatch(/\n\n1 of 3 files would be refused \(33\.3 %\)\n$/)
    expect(stdout).not.toMatch(/087|4567|1970/)
    expect(status).toBe(1)
  })

  it('may have several folders, and ends with 0 if nothing is found', () => {
    const { status, stdout } = guard(['corpus', join(folder, 'letters', 'old'), join(folder, 'letters', 'a.txt')])
    expect(stdout).toMatch(/\ntotal +0 +0\n\n0 of 2 files would be refused \(0\.0 %\)\n$/)
    expect(status).toBe(0)
  })
})

describe('the hits of one shape', () => {
  const file = () => join(folder, 'notes', 'notes.csv')

  beforeAll(() => {
    mkdirSync(join(folder, 'notes'))
    writeFileSync(file(), `${'before '.repeat(9)}\r\nseen 🩺\u001b[31m 12/03/2021\nand on 1 May 2020, tel 087 123 4567`)
  })

  it('are printed with 40 characters around them, on a line without control characters', () => {
    const { status, stdout } = guard(['corpus', '--shape', 'date', join(folder, 'notes')])
    expect(stdout.split('\n')).toEqual([
      `${file()}:2:13: …fore before before before  seen 🩺 [31m [[12/03/2021]] and on 1 May 2020, tel 087 123 4567`,
      `${file()}:3:8: … before  seen 🩺 [31m 12/03/2021 and on [[1 May 2020]], tel 087 123 4567`,
      '',
    ])
    expect(status).toBe(1)
  })

  it('are no more than the limit', () => {
    const { stdout } = guard(['corpus', '--shape', 'date', '--limit', '1', join(folder, 'notes')])
    expect(stdout.split('\n')).toHaveLength(2)
  })

  it('end the command with 0 if there is none', () => {
    expect(guard(['corpus', '--shape', 'eircode', join(folder, 'notes')])).toMatchObject({ status: 0, stdout: '' })
  })
})

describe('a corpus that is not understood', () => {
  it.each([
    ['The folder is missing.', []],
    ['/no/such/folder does not exist.', ['/no/such/folder']],
    [`Unknown shape name. Shapes: ${IDENTIFIER_SHAPES.join(', ')}.`, ['--shape', 'name', '.']],
    ['--limit needs --shape.', ['--limit', '5', '.']],
    ['--limit needs a whole number', ['--shape', 'date', '--limit', '0', '.']],
  ])('ends with 2: %s', (reason, args) => {
    const { status, stdout, stderr } = guard(['corpus', ...args])
    expect(stderr).toContain(reason)
    expect(stderr).toContain('Usage: npm run guard -- corpus')
    expect(stdout).toBe('')
    expect(status).toBe(2)
  })
})

describe('a command that is not understood', () => {
  it.each([['--nonsense'], ['/no/such/folder']])('%s ends with 2 and says so', (argument) => {
    const { status, stdout, stderr } = guard([argument])
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
  })
})

it('explains itself with --help', () => {
  const { status, stdout } = guard(['--help'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Usage:/)
})
