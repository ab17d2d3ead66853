// A Worker that makes as many signed records of one reading as the path says: how long that takes is seen from outside.
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import type { Reading } from '../../src/referral/read.schema.ts'
import { prepareSignature } from '../../src/referral/readers/sign-reading.ts'

const SENT_TO = { places: ['US'] } as const

const reading = (model: Reading['model']): Reading => ({
  model,
  available: true,
  reason: null,
  specialty: 'Cardiology',
  ageGroup: 'Adult',
  taken: 3,
  consistency: 1,
  samples: Array.from({ length: 3 }, () => ({ specialty: 'Cardiology', ageGroup: 'Adult' as const, ms: 700 })),
})

const HASH = '9889ce2deceb08e15f8d10dc00949817279953a19b79ee7fb8351d3eca55888b'

const MODEL = { provider: 'openai', model: 'gpt-4.1-mini', servedModels: [] }

const READ = {
  record: {
    id: 'rdg_0b3c5a7e-91d2-8f46-a1b0-c2d3e4f50617',
    question: { action: 'identify_specialty' as const, characters: 619, salt: HASH, textHmac: HASH },
    readers: [reading('Reader A'), reading('Reader B')] as [Reading, Reading],
    outcome: { decision: 'yes' as const, specialty: 'Cardiology', ageGroup: 'Adult' as const },
    datasetVersion: { archiveDate: '2026-09-24', publishedOn: '2026-10-02', hash: HASH },
    models: [MODEL, MODEL] as [typeof MODEL, typeof MODEL],
    letterStored: false as const,
    generatedAt: '2026-11-22T14:45:00.000Z',
  },
  organisationId: 'org_01938c2e-7b1a-7c55-9d0e-3f2a1b4c5d6e',
  reading: {
    servedModels: [['gpt-4.1-mini-2025-04-14'], ['gemini-3.6-flash']] as [string[], string[]],
    timings: [
      [700, 700, 700],
      [700, 700, 700],
    ] as [number[], number[]],
  },
  promptHash: HASH,
  serviceVersion: '0.1.0+unknown',
}

const READERS = {
  models: ['gpt-4.1-mini', 'gemini-3.6-flash'],
  providers: ['openai', 'google'],
  routes: [SENT_TO, SENT_TO],
} as const

export default {
  async fetch(request) {
    const key = await importSigningKey(new Uint8Array(32).fill(7))
    const wanted = Number(new URL(request.url).pathname.slice(1))
    for (let n = 0; n < wanted; n += 1) await prepareSignature(READERS, READ, key).sign('req_bench')
    return new Response(`${wanted}`)
  },
} satisfies ExportedHandler
