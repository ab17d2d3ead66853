// An organisation is erased on the built Worker, by its own alarm; its record is checked by the command, and the operator
// does it again by another.
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { signInAs } from '../support/e2e/members.ts'

const MARK = 'quicksilver-marigold'

let service: Deployment
beforeAll(async () => {
  service = await deploy({ sample: false })
})
afterAll(() => service.close())

type Ran = { status: number | null; stdout: string; stderr: string }

function run(script: string, args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, OPERATOR_TOKEN: service.operatorToken }
  const child = spawn(process.execPath, [`scripts/${script}`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })))
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}

it('goes from the request to a record that verifies, leaves nothing behind, and can be done again', async () => {
  const { key, organisationId } = await service.createKey({ name: `A key of ${MARK}` })
  await service.operate('PATCH', `/organisations/${organisationId}`, { name: MARK })
  const held = withKey(key, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': `${MARK}-1` },
    body: JSON.stringify({ action: 'book_appointment' }),
  })
  await service.fetch('/v1/referral/read', held)
  expect(await service.everythingStored(organisationId)).toContain(`${MARK}-1`)

  const owner = await signInAs(service, organisationId, 'owner')
  const body = JSON.stringify({ name: MARK, immediately: true })
  const asked = await service.fetch('/api/settings/erasure', {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body,
  })
  expect(asked.status).toBe(202)
  const { id, record_url: url } = (await asked.json()) as { id: string; record_url: string }
  await until(async () => (await service.fetch(new URL(url).pathname)).status === 200)

  const { public_key: pinned } = (await (await service.fetch('/v1/attestation/public-key')).json()) as {
    public_key: string
  }
  const verified = await run('countersign-verify.ts', [url, '--key', pinned])
  expect(verified).toMatchObject({ status: 0, stdout: expect.stringMatching(/^valid +erasure +era_/) as string })
  expect(await service.everythingStored(organisationId)).not.toContain(MARK)
  expect(await service.everythingStored(organisationId)).not.toContain(owner.email)
  expect(service.logs().join('\n')).not.toContain(owner.email)

  const { DB } = await service.env()
  await DB.prepare('DELETE FROM erasures').run()
  const { organisationId: elsewhere } = await service.createKey()
  const { personId } = await signInAs(service, elsewhere, 'owner')
  const stuck = `era_ffffffff${id.slice(12)}`
  await DB.prepare(
    `INSERT INTO erasures (id, person_id, requested_by, requested_at, due_at, state) VALUES (?1, ?2, ?2, 1, 1, 'running')`,
  )
    .bind(stuck, personId)
    .run()
  const all = await run('erasures.ts', ['reapply', '--url', service.url])
  expect(all).toMatchObject({ status: 1, stderr: expect.stringContaining(`${stuck}: `) as string })
  expect(all.stderr).not.toContain(id)
  await DB.prepare('DELETE FROM erasures').run()
  const again = await run('erasures.ts', ['reapply', '--url', service.url, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ data: [{ id, subject: organisationId, status: 'completed' }] })
  expect(await run('countersign-verify.ts', [url, '--key', pinned])).toMatchObject({ status: 0 })
  const shown = await run('erasures.ts', ['show', id, '--url', service.url])
  expect(shown.stdout).toMatch(/^status +completed$/m)
})
