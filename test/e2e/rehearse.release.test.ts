// npm run rehearse: production's settings and secrets on this machine, from nothing to a checked contract. The tracked wrangler.toml
// has no address and no keys, so the file of secrets has them here: what it has wins.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSetting } from '../../scripts/attestation-key/key-storage.ts'
import { readDevVars } from '../../scripts/local/dev-vars.ts'
import { runSecrets } from '../../scripts/secrets.ts'
import { freePort } from '../support/e2e/local-start.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-rehearse-test-'))
  file = join(folder, 'secrets.env')
  const config = join(folder, 'wrangler.toml')
  await copyFile('wrangler.toml', config)
  const quiet = { print: () => {}, report: () => {} }
  expect(await runSecrets(['--env', 'production', '--file', file, '--config', config], quiet)).toBe(0)
  const toml = await readFile(config, 'utf8')
  const histories = ['ATTESTATION_KEYS', 'LOG_KEYS'].map(
    (name) => `${name}='${readSetting(toml, 'production', name)}'\n`,
  )
  const others = [
    'PUBLIC_ORIGIN=https://countersign.hospital.ie',
    'OPENAI_API_KEY=of-openai',
    'GOOGLE_API_KEY=of-google',
  ]
  await writeFile(file, (await readFile(file, 'utf8')) + histories.join('') + others.join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function rehearse(secrets: string): Promise<{ code: unknown; text: string }> {
  const args = ['scripts/rehearse.ts', '--secrets', secrets, '--port', String(await freePort())]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, TMPDIR: folder } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, text: out + err }),
    )
  })
}

it('goes well from the secrets that npm run secrets makes, and names what is put in', async () => {
  const { code, text } = await rehearse(file)
  expect(text).toContain('jurisdictions: an object of the EU is another object by its name')
  for (const step of ['an organisation', 'its owner', 'sandbox keys', 'the sample', 'a checkpoint'])
    expect(text).toContain(`  pass  ${step}`)
  for (const check of ['settings', 'address', 'jurisdiction', 'tables', 'signing_key', 'public_log', 'readers'])
    expect(text).toMatch(new RegExp(`^  (pass|warn) +${check} `, 'm'))
  expect(text).toMatch(/^Contract: 0 of \d{3} checks differ$/m)
  expect(text).toMatch(/^The rehearsal went well\.$/m)
  expect(code).toBe(0)
  const secrets = Object.entries(readDevVars(file)).filter(([name]) => !/_KEYS$|ORIGIN/.test(name))
  for (const [, secret] of secrets) expect(text).not.toContain(secret)
})

it('tells all that is wrong where a setting is, and leaves nothing', async () => {
  const broken = join(folder, 'broken.env')
  await writeFile(broken, `${await readFile(file, 'utf8')}\nREADER_SAMPLES=0\n`)
  const { code, text } = await rehearse(broken)
  expect(code).toBe(1)
  expect(text).toMatch(/^  fail +settings +READER_SAMPLES$/m)
  expect(text).toMatch(/^  pass +tables /m)
  expect(text).toMatch(/^The rehearsal did not go well/m)
  expect((await readdir(folder)).filter((name) => name.startsWith('countersign-'))).toEqual([])
})

it.each([
  [[], 'Add --secrets FILE'],
  [['--secrets', 'nowhere.env'], 'nowhere.env is not a file'],
])('is not understood with %j', async (args, words) => {
  const { code, text } = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, ['scripts/rehearse.ts', ...args], (error, out, err) =>
      resolve({ code: error?.code, text: out + err }),
    )
  })
  expect([code, text]).toEqual([2, expect.stringContaining(words)])
})
