// A rotation rehearsed on one machine: history and seeds are in .dev.vars, and npm start signs with them.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { readDevVars } from '../../scripts/local/dev-vars.ts'
import { readLocalOrganisations } from '../../scripts/local/local-organisations.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { postJson, withKey } from '../support/e2e/deployment.ts'
import { ask } from '../support/e2e/gateway.ts'
import { freePort, startLocally } from '../support/e2e/local-start.ts'

const AttestationSchema = z.looseObject({ attestation_id: z.string(), public_key: z.string() })
const AnswerSchema = z.object({ aqta: z.object({ attestation: AttestationSchema }) })
const KeysSchema = z.object({
  keys: z.array(z.object({ public_key: z.string(), key_id: z.string(), status: z.string() })),
  note: z.string().optional(),
})

let folder: string
let port: number
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-rotation-'))
  port = await freePort()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const devVars = () => join(folder, 'dev.vars')

function attestationKey(...args: string[]): string {
  const line = ['scripts/attestation-key.ts', ...args, '--env', 'local', '--config', devVars()]
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return /aqta-att-[0-9a-f]{16}/.exec(stdout)?.[0] ?? 'none'
}

/** Runs npm start for the time of the work. */
async function whileStarted<T>(work: (caller: Caller) => Promise<T>): Promise<T> {
  const run = await startLocally({ folder, port })
  try {
    return await work(callerWithKey())
  } finally {
    await run.stop()
  }
}

type Caller = ReturnType<typeof callerWithKey>

function callerWithKey() {
  const { key } = readLocalOrganisations(join(folder, 'state'))?.tenants.pro ?? expect.fail('there are no keys')
  const fetchJson = async (path: string, init = withKey(key)): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()
  return {
    publishedKeys: async () => KeysSchema.parse(await fetchJson('/v1/attestation/keys')),
    attested: async () =>
      AnswerSchema.parse(await fetchJson('/v1/chat/completions', postJson(key, ask('gpt-4.1-mini')))).aqta.attestation,
    recordAgain: async (id: string) => fetchJson(`/v1/attestations/${id}`),
  }
}

it('goes from the machine’s own key to the next and the next but one, and what each signed stays good', async () => {
  const throwAway = await whileStarted(async ({ attested, publishedKeys }) => {
    expect(await publishedKeys()).toMatchObject({ note: expect.stringContaining('Do not trust it') as string })
    return attested()
  })

  const firstId = attestationKey('create')
  const first = await whileStarted(async ({ attested, publishedKeys }) => {
    const { keys, note } = await publishedKeys()
    expect([note, keys]).toMatchObject([undefined, [{ key_id: firstId, status: 'active' }]])
    return attested()
  })
  expect(first.public_key).not.toBe(throwAway.public_key)

  const secondId = attestationKey('create')
  attestationKey('activate', secondId)
  attestationKey('retire', firstId)
  await whileStarted(async ({ attested, publishedKeys, recordAgain }) => {
    const { keys } = await publishedKeys()
    expect(keys).toMatchObject([
      { key_id: secondId, status: 'active' },
      { key_id: firstId, status: 'retired', public_key: first.public_key },
    ])
    const second = await attested()
    expect(second.public_key).toBe(keys[0]?.public_key)
    for (const record of [first, second]) {
      expect(verifyRecord(record, { keys: [record.public_key] })).toMatchObject({ valid: true })
      // Its seed is still in .dev.vars, of whichever name.
      expect(await recordAgain(record.attestation_id)).toEqual(record)
    }
  })

  expect((await stat(devVars())).mode & 0o077).toBe(0)
  expect(Object.keys(readDevVars(devVars())).filter((name) => name.startsWith('ATTESTATION_'))).toHaveLength(3)
})
