// The service and a witness that is a server of its own: the cosigned checkpoint that is served, what countersign-verify says of
// it, and the checkpoint that is served without the witness.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWitness, type RunningWitness } from '../../scripts/local/servers/witness.ts'
import { readLogConfig } from '../../src/public-log/public-log-config.ts'
import { formatVkey, noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import { readConfig } from '../../src/platform/config.ts'
import { deploy, PEPPER, type Deployment } from '../support/e2e/deployment.ts'

const settings = { ENVIRONMENT: 'local', JURISDICTIONS: 'off', KEY_PEPPERS: `a:${Buffer.from(PEPPER).toString('hex')}` }
const { log } = readLogConfig(settings, readConfig(settings))
const origin = log?.origin ?? ''
const logVkey = formatVkey(noteKeyFromBase64url(origin, 'ed25519', log?.keys.history[0]?.public_key ?? ''))

let folder: string
let witness: RunningWitness
let silent: RunningWitness
let deployment: Deployment
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-witness-'))
  witness = await startWitness({ folder: join(folder, 'one'), name: 'witness.example/1', logs: [logVkey] })
  // It watches another log.
  silent = await startWitness({ folder: join(folder, 'two'), name: 'witness.example/2', logs: [] })
  const witnesses = [witness, silent].map(({ vkey, url }) => ({ vkey, url }))
  deployment = await deploy({
    sample: false,
    vars: { WITNESSES: JSON.stringify(witnesses) },
  })
})
afterAll(async () => {
  await deployment.close()
  await Promise.all([witness.close(), silent.close()])
  rmSync(folder, { recursive: true })
})

/** Waits until the witness has cosigned the served checkpoint, and returns it. */
async function cosignedCheckpoint(): Promise<string> {
  let note = ''
  const fetchIt = async () => {
    const response = await deployment.fetch('/v1/public/transparency/checkpoint')
    expect(response.status).toBe(200)
    return (note = await response.text())
  }
  await expect.poll(fetchIt).toContain('\n— witness.example/1 ')
  return note
}

function verify(note: string, ...args: string[]) {
  const file = join(folder, 'checkpoint')
  writeFileSync(file, note)
  const { status, stdout, stderr } = spawnSync('node', ['scripts/countersign-verify.ts', file, ...args], {
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

describe('the served checkpoint', () => {
  it('is signed by the log and cosigned by the witness that watches it', async () => {
    const note = await cosignedCheckpoint()
    const names = note.split('\n').flatMap((line) => (line.startsWith('— ') ? [line.split(' ')[1]] : []))
    expect(names).toEqual([origin, 'witness.example/1'])
    const ownLog = ['--log', logVkey]
    expect(verify(note, ...ownLog, '--witness', witness.vkey)).toMatchObject({ status: 0 })
    expect(verify(note, ...ownLog, '--witness', witness.vkey, '--witness', silent.vkey).status).toBe(1)
    expect(verify(note.replace('\n0\n', '\n1\n'), ...ownLog).status).toBe(1)
  })

  it('is served without the witness that does not cosign, which the log names', async () => {
    const unwatched = () => deployment.logs().filter((line) => line.includes('"witness_origin_unknown"'))
    await expect.poll(unwatched).not.toEqual([])
    expect(unwatched().join('\n')).not.toContain('witness.example/1')
  })
})
