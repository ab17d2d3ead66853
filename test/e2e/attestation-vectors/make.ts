// Writes the vectors of the attestation format: node test/e2e/attestation-vectors/make.ts, then npm run format.
import { writeFileSync } from 'node:fs'
import type { VectorFile } from '../../fixtures/attestation/vector.ts'
import { first } from './craft.ts'
import { invalid } from './invalid.ts'
import { unreadable } from './unreadable.ts'
import { valid } from './valid.ts'

/** Every file of test/fixtures/attestation that is made here, and what it holds. */
export const vectorFiles: Readonly<Record<string, VectorFile>> = {
  'valid.json': { pinned: first.publicKey, vectors: valid },
  'invalid.json': { pinned: first.publicKey, vectors: invalid },
  'unreadable.json': { pinned: first.publicKey, vectors: unreadable },
}

if (import.meta.main) {
  for (const [name, file] of Object.entries(vectorFiles)) {
    const path = new URL(`../../fixtures/attestation/${name}`, import.meta.url)
    writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`)
  }
}
