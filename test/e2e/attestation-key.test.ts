// npm run attestation-key: the history in wrangler.toml, the seed on its way to a secret, and what is refused.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LOG_KEY_SETTINGS, readConfiguredKeys } from '../../src/evidence/records/configured-keys.ts'
import { parseVkey } from '../../src/evidence/checkpoint/note-key.ts'
import { runAttestationKey } from '../../scripts/attestation-key.ts'
import { readSetting, writeSetting } from '../../scripts/attestation-key/key-storage.ts'

const TOML = `name = "invented"

[vars]
ATTESTATION_KEYS = 'not this one'

[env.staging.vars]
ENVIRONMENT = "staging"

[env.production.vars]
ENVIRONMENT = "production"
ATTESTATION_KEYS = '[]'
JURISDICTIONS = "on"
PUBLIC_ORIGIN = "https://countersign.example"
LOG_KEYS = '[]'

[[env.production.kv_namespaces]]
binding = "DATASETS"
`

let folder: string
let config: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestation-key-'))
  // The command writes a seed to this folder.
  vi.stubEnv('TMPDIR', folder)
  config = join(folder, 'wrangler.toml')
  writeFileSync(config, TOML)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

function command(...args: string[]) {
  const answer: { status: number | null; stdout: string; stderr: string } = { status: null, stdout: '', stderr: '' }
  answer.status = runAttestationKey(['--config', config, ...args], {
    print: (text) => (answer.stdout += `${text}\n`),
    report: (text) => (answer.stderr += `${text}\n`),
  })
  return answer
}

function commandByProcess(...args: string[]) {
  const line = ['scripts/attestation-key.ts', '--config', config, ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const production = (...args: string[]) => command(...args, '--env', 'production')
const idIn = (text: string): string => /aqta-att-[0-9a-f]{16}/.exec(text)?.[0] ?? 'none'

function seedIn(text: string) {
  const [, name = '', path = ''] = /secret put (\w+) --env production < (\S+)/.exec(text) ?? []
  return { name, path, seed: readFileSync(path, 'utf8') }
}

describe('the process', () => {
  it.each([
    ['what it did', ['list', '--env', 'production'], 0, /^none\n$/, /^$/],
    ['what it refuses', ['retire', 'aqta-att-0', '--env', 'production'], 1, /^$/, /^\S.*\n$/],
    ['what it does not understand', ['list'], 2, /^$/, /^Add --env production, .*\n$/],
  ] as const)('ends by its exit code and says %s', (_, args, status, stdout, stderr) => {
    const ended = commandByProcess(...args)
    expect(ended.status).toBe(status)
    expect(ended.stdout).toMatch(stdout)
    expect(ended.stderr).toMatch(stderr)
  })
})

describe('create', () => {
  it('publishes a key whose seed nobody sees', () => {
    const { status, stdout, stderr } = production('create')
    expect(status).toBe(0)
    const { name, path, seed } = seedIn(stdout)
    expect(stdout + stderr + readFileSync(config, 'utf8')).not.toContain(seed)
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(statSync(dirname(path)).mode & 0o077).toBe(0)
    const history = readSetting(readFileSync(config, 'utf8'), 'production', 'ATTESTATION_KEYS')
    expect(readConfiguredKeys({ ATTESTATION_KEYS: history, [name]: seed })).toMatchObject({ wrong: [] })
  })

  it('changes one line and nothing else', () => {
    production('create')
    const changed = readFileSync(config, 'utf8').split('\n')
    const lines = TOML.split('\n')
    expect(lines.filter((line, at) => line !== changed[at])).toEqual(["ATTESTATION_KEYS = '[]'"])
    expect(changed).toHaveLength(lines.length)
  })

  it('lets the first key sign at once and the next a day later', () => {
    const first = idIn(production('create').stdout)
    const second = idIn(production('create').stdout)
    const { stdout } = production('list')
    expect(stdout.split('\n').find((line) => line.includes('signs now'))).toContain(first)
    expect(stdout.split('\n')[0]).toContain(second)
  })
})

describe('a rotation', () => {
  it('activates the next key, retires the one before, and keeps both in the list', () => {
    const first = idIn(production('create').stdout)
    const second = idIn(production('create').stdout)
    expect(production('retire', first)).toMatchObject({ status: 1, stdout: '' })
    expect(production('activate', second)).toMatchObject({ status: 0 })
    expect(production('retire', first)).toMatchObject({ status: 0 })
    const { stdout } = production('list')
    expect(stdout).toMatch(new RegExp(`${second} .* active .* signs now`))
    expect(stdout).toMatch(new RegExp(`${first} .* retired .* until `))
    expect(production('revoke', first).stdout).toContain('npm run deploy -- --env production')
  })

  it('says since when a revoked key is suspected', () => {
    const first = idIn(production('create').stdout)
    const second = idIn(production('create', '--now').stdout)
    expect(production('revoke', first, '--since', '2026-01-02T04:04:05+01:00')).toMatchObject({ status: 0 })
    expect(production('list').stdout).toMatch(new RegExp(`${first} .* revoked .*suspected since 2026-01-02T03:04:05Z`))
    expect(production('retire', second, '--since', '2026-01-02T03:04:05Z').status).toBe(2)
  })
})

describe('what is refused', () => {
  it.each([
    ['no environment', ['list']],
    ['an environment without the line', ['create', '--env', 'staging']],
    ['an unknown environment', ['create', '--env', 'test']],
    ['no verb', ['--env', 'production']],
    ['an unknown verb', ['delete', '--env', 'production']],
    ['an unknown option', ['list', '--env', 'production', '--seed', 'x']],
    ['no key', ['retire', '--env', 'production']],
    ['a time without its zone', ['revoke', 'aqta-att-0', '--since', '2026-01-02T03:04:05', '--env', 'production']],
    ['a day that is none', ['revoke', 'aqta-att-0', '--since', '2026-02-30T03:04:05Z', '--env', 'production']],
    ['an hour that is none', ['revoke', 'aqta-att-0', '--since', '2026-01-02T24:00:00Z', '--env', 'production']],
  ])('%s, as not understood', (_, args) => {
    const { status, stdout, stderr } = command(...args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
    expect(readFileSync(config, 'utf8')).toBe(TOML)
  })

  it.each([
    ['a file that is not there', 'production', (there: string) => join(there, 'none.toml'), 'There is no file'],
    ['a folder', 'production', (there: string) => there, 'is not a file'],
    ['a folder', 'local', (there: string) => there, 'is not a file'],
  ])('%s of %s, in a sentence', (_, environment, place, sentence) => {
    const { status, stdout, stderr } = command('create', '--env', environment, '--config', place(folder))
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('a history that is none, rather than to write over it', () => {
    const broken = TOML.replace("ATTESTATION_KEYS = '[]'", "ATTESTATION_KEYS = 'x'")
    writeFileSync(config, broken)
    expect(production('create').status).toBe(2)
    expect(readFileSync(config, 'utf8')).toBe(broken)
  })

  it('a key that is not there, and to retire or revoke the only one', () => {
    const only = idIn(production('create').stdout)
    for (const args of [
      ['activate', 'aqta-att-0000000000000000'],
      ['activate', only],
      ['retire', only],
      ['revoke', only],
    ]) {
      const { status, stderr } = production(...args)
      expect(status).toBe(1)
      expect(stderr).not.toBe('')
    }
  })
})

describe('a setting of wrangler.toml', () => {
  it('is of its own section', () => {
    expect(readSetting(TOML, 'staging', 'ATTESTATION_KEYS')).toBeNull()
    expect(readSetting(TOML, 'production', 'ATTESTATION_KEYS')).toBe('[]')
    expect(writeSetting(TOML, 'staging', 'ATTESTATION_KEYS', '[]')).toBeNull()
  })

  it('cannot break out of its quotes', () => {
    expect(() => writeSetting(TOML, 'production', 'ATTESTATION_KEYS', "'\nX = 'y")).toThrow(TypeError)
  })
})

describe('--log', () => {
  it('keeps the public log’s keys apart, and says each as the vkey that witnesses are given', () => {
    const { status, stdout } = production('create', '--log')
    expect(status).toBe(0)
    const { name, seed } = seedIn(stdout)
    expect(name).toMatch(/^LOG_SEED_[0-9A-F]{16}$/)
    const toml = readFileSync(config, 'utf8')
    expect(readSetting(toml, 'production', 'ATTESTATION_KEYS')).toBe('[]')
    const settings = { LOG_KEYS: readSetting(toml, 'production', 'LOG_KEYS'), [name]: seed }
    expect(readConfiguredKeys(settings, LOG_KEY_SETTINGS)).toMatchObject({ wrong: [] })
    const vkey = /countersign\.example\/v1\/public\/transparency\+\S+/.exec(stdout)?.[0] ?? ''
    expect(parseVkey(vkey)?.type).toBe('ed25519')
    expect(production('list', '--log').stdout).toContain(vkey)
    expect(production('list').stdout).toBe('none\n')
  })

  it('refuses to leave the log without a key that could sign', () => {
    const { status, stdout } = production('create', '--log')
    expect(status).toBe(0)
    expect(production('retire', idIn(stdout), '--log').stderr).toContain('No other key could sign')
    expect(production('retire', idIn(stdout)).stderr).toContain('There is no such key')
  })
})
