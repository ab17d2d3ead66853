// The Worker with a second bucket bound: both get an organisation's full tiles, and the operator's command compares and restores
// them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { R2Bucket } from '@cloudflare/workers-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changedConfig, deploy, postJson, type Deployment } from '../support/e2e/deployment.ts'

let folder: string
let deployment: Deployment
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiles-'))
  deployment = await deploy({ sample: false, config: changedConfig(folder, withSecondBucket) })
})
afterAll(async () => {
  await deployment.close()
  rmSync(folder, { recursive: true })
})

/** Takes the comment signs before the second bucket's binding away, as docs/repair-storage.md says. */
const withSecondBucket = (toml: string): string =>
  toml.replaceAll(
    /^# (?=(?:\[\[(?:env\.\w+\.)?r2_buckets\]\]|binding = "FILES_MIRROR"|bucket_name = |jurisdiction = "eu"))/gm,
    '',
  )

async function ledger(...args: string[]) {
  const child = spawn('node', ['scripts/operator.ts', 'ledger', ...args, '--url', deployment.url], {
    env: { ...process.env, OPERATOR_TOKEN: deployment.operatorToken },
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ])
  return { stdout, stderr, status }
}

async function listNames(bucket: R2Bucket): Promise<string[]> {
  const { objects } = await bucket.list({ prefix: 'log/' })
  return objects.map(({ key }) => key)
}

it('has each full tile in both buckets, and brings one back that either lost', async () => {
  const { id } = await deployment.operate<{ id: string }>('POST', '/organisations', { name: 'A practice' })
  for (let at = 0; at < 26; at += 1) {
    const list = () => deployment.operate('GET', `/organisations/${id}/keys?limit=1`)
    await Promise.all(Array.from({ length: 10 }, list))
  }
  // The first call sets the alarm for the hour's counts, and so has the object look at what is to be done.
  const issued = { prefix: 'vk_test_', name: 'A test key' }
  const { key } = await deployment.operate<{ key: string }>('POST', `/organisations/${id}/keys`, issued)
  expect((await deployment.fetch('/v1/referral/read', postJson(key, { action: 'book_appointment' }))).status).toBe(409)
  const { FILES, FILES_MIRROR } = await deployment.env()
  if (FILES_MIRROR === undefined) throw new Error('no second bucket is bound')
  await expect.poll(() => listNames(FILES_MIRROR)).toHaveLength(1)
  await expect.poll(() => listNames(FILES)).toHaveLength(1)
  const [name = ''] = await listNames(FILES)
  expect(await listNames(FILES_MIRROR)).toEqual([name])
  expect(await ledger('tiles', 'compare', '--org', id)).toMatchObject({ status: 0, stderr: '1 of 1 tiles\n' })

  await FILES.delete(name)
  await FILES_MIRROR.put(`${name}.p/3`, 'what is no full tile')
  const found = await ledger('tiles', 'compare', '--org', id)
  expect(found).toEqual({
    status: 1,
    stdout: '',
    stderr:
      '0/000  missing, intact  restorable\n1 of 1 tiles\n1 of 1 tiles are missing or damaged. The lines above name them.\n',
  })
  const restored = await ledger('tiles', 'restore', '--org', id)
  expect(restored).toMatchObject({ status: 0, stdout: 'compared  1\nrestored  1\n' })
  expect((await ledger('tiles', 'restore', '--org', id, '--replace')).status).toBe(0)
  expect(await (await FILES.get(name))?.arrayBuffer()).toEqual(await (await FILES_MIRROR.get(name))?.arrayBuffer())
  const acts = (await deployment.ledger(id)).map(({ act }) => act)
  expect(acts.filter((act) => String(act).endsWith('_tiles'))).toEqual([
    'ledger.compare_tiles',
    'ledger.compare_tiles',
    'ledger.restore_tiles',
    'ledger.replace_tiles',
  ])

  expect(await ledger('tiles', 'compare', '--public-log')).toMatchObject({
    status: 0,
    stdout: 'compared  0\nrestored  0\n',
  })
  await FILES.put('public-log/head.json', JSON.stringify({ tree_size: 9, root_hash: '' }))
  const contradicted = await ledger('tiles', 'restore', '--public-log')
  expect(contradicted).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('restored to an earlier state') as unknown,
  })
})

it('says how the command is used where it was not understood', async () => {
  const usage = 'Usage: npm run ledger -- VERB [options]\n'
  const unnamed = `Name one log: --org ID or --public-log.\n${usage}`
  expect(await ledger('tiles', 'repair', '--public-log')).toMatchObject({
    status: 2,
    stderr: `Add compare or restore after tiles.\n${usage}`,
  })
  expect(await ledger('tiles', 'compare')).toMatchObject({ status: 2, stderr: unnamed })
  expect(await ledger('tiles', 'compare', '--public-log', '--replace')).toMatchObject({
    status: 2,
    stderr: `Use --replace only with tiles restore.\n${usage}`,
  })
  expect(await ledger('tiles', 'compare', '--public-log', '--org', 'org_1')).toMatchObject({
    status: 2,
    stderr: unnamed,
  })
  expect(await ledger('check')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--org is missing') as unknown,
  })
})

it('says what the service refused', async () => {
  expect((await ledger('tiles', 'compare', '--org', 'org_1')).status).toBe(1)
  expect(await ledger('tiles', 'compare', '--public-log', '--cursor', 'x')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^cursor: of another form than declared/) as unknown,
  })
})
