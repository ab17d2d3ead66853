// Has PyPI's aics-witness, which is not ours, cosign checkpoints that the service's own functions submit:
//   npx node test/support/independent/aics-witness.ts FOLDER
// FOLDER keeps its virtual environment. It needs Python 3.12 or later (PYTHON names it, else python3).
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { askWitnesses } from '../../../src/public-log/ask-witnesses.ts'
import { decodeBase64 } from '../../../src/evidence/records/base64.ts'
import { parseVkey, type NoteKey } from '../../../src/evidence/checkpoint/note-key.ts'
import { verifyCheckpoint } from '../../../src/evidence/checkpoint/witness-policy.ts'
import { run } from '../../../scripts/external-tools.ts'

const VectorsSchema = z.object({
  origin: z.string(),
  log_vkey: z.string(),
  checkpoints: z.array(
    z.object({
      size: z.int(),
      text: z.string(),
      note: z.string(),
      old_size: z.int(),
      consistency: z.array(z.string()),
    }),
  ),
})

const [folder = join(tmpdir(), 'aics-witness')] = process.argv.slice(2)
const given = VectorsSchema.parse(JSON.parse(readFileSync('test/fixtures/checkpoints/go.json', 'utf8')))
const command = join(folder, 'bin/aics-witness')
const state = mkdtempSync(join(tmpdir(), 'aics-witness-'))
const config = ['--config', join(state, 'witness.json')]
const port = await freePort()

await run([process.env['PYTHON'] ?? 'python3', '-m', 'venv', folder], state)
await run([join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', 'aics-witness==0.1.0'], state)
const listen = `127.0.0.1:${port}`
const said = await run([command, 'init', ...config, '--name', 'witness.example/aics', '--listen', listen], state)
const witness = keyIn(said.trim())
await run([command, 'add-log', ...config, '--origin', given.origin, '--vkey', given.log_vkey], state)
const server = spawn(command, ['serve', ...config], { stdio: 'inherit' })
try {
  await untilItListens()
  const remembered = new Map<string, number>()
  for (const { size, text, note, consistency } of given.checkpoints) {
    const proof = consistency.map((hash) => decodeBase64(hash) ?? new Uint8Array())
    const [answer] = await askWitnesses({
      witnesses: [{ key: witness, url: `http://${listen}` }],
      checkpoint: { note, text, size },
      consistency: () => Promise.resolve(proof),
      remembered,
      fetch,
    })
    if (answer?.size !== null && answer?.size !== undefined) remembered.set(witness.name, answer.size)
    const policy = { log: [keyIn(given.log_vkey)], witnesses: [witness], quorum: 1 }
    const verdict = verifyCheckpoint(utf8ToBytes(note + (answer?.line ?? '')), policy)
    const isCosigned = verdict.valid && verdict.hasQuorum
    console.log(`${isCosigned ? 'cosigned' : 'refused '}  ${size} leaves  ${answer?.outcome}`)
    if (!isCosigned) process.exitCode = 1
  }
} finally {
  server.kill()
  await once(server, 'exit')
  rmSync(state, { recursive: true })
}

function keyIn(vkey: string): NoteKey {
  const key = parseVkey(vkey)
  if (key === null) throw new Error('no vkey')
  return key
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilItListens(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(`http://${listen}/healthz`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('aics-witness does not answer')
}
