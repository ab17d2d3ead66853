// Tests the pages' own checks of a receipt: a real one, changed in each of its parts.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { PublishedKeyHistory } from '../../src/evidence/records/attestation.schema.ts'
import { CallsSchema, type Call } from '../../src/management/calls/calls.schema.ts'
import { MedicalReceiptWithProofsSchema } from '../../src/management/receipts/receipts.schema.ts'
import {
  checkLoadedReceipt,
  verdictOf,
  compareListedCall,
} from '../../src/pages/app/evidence/check-receipt-in-browser.ts'
import { origin, service } from '../support/browser/browser.ts'

const { key } = service.filled
type Json = Readonly<Record<string, unknown>>

const read = async (path: string): Promise<unknown> =>
  (await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } })).json()

/** One that people have decided about, with how it ended and both logs; and what the trail says of the same call. */
async function readEvidence() {
  const page = z.object({ data: z.array(z.object({ id: z.string(), approval_state: z.string().nullable() })) })
  const { data } = page.parse(await read('/api/health/receipts?limit=100&outcome=passed'))
  const { id } = data.find(({ approval_state }) => approval_state === 'executed') ?? data[0] ?? { id: '' }
  const json = await read(`/api/health/receipts/${id}`)
  const receipt = MedicalReceiptWithProofsSchema().parse(json)
  const before = receipt.organisation_log.proof.leaf_index + 1
  const trail = await read(`/api/calls?start=2026-01-01&limit=1&cursor=${before}`)
  const [entry] = CallsSchema().parse(trail).data
  if (entry === undefined) throw new Error(`the trail has no entry before ${before}`)
  return { id, receipt, entry, json: json as Json, keys: (await read('/v1/attestation/keys')) as PublishedKeyHistory }
}

const bytesOf = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json))

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(path.length === 0 ? [] : [path]), ...entries.flatMap(([name, one]) => pathsOf(one, [...path, name]))]
}

function changedAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return otherThan(value)
  if (Array.isArray(value)) return value.map((one: unknown, at) => (at === name ? changedAt(one, rest) : one))
  const object = value as Json
  return { ...object, [name]: changedAt(object[name], rest) }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return 'changed'
  const first = value.startsWith('1') ? '2' : '1'
  return `${first}${value.slice(1)}`
}

const { id, receipt, entry, json, keys } = await readEvidence()

describe('a receipt that is checked in the browser', () => {
  // Each other member is changed in test/unit/evidence/verify, by the same functions.
  it('is valid as it was answered, and not after a change of what is signed, of a signature or of a proof', () => {
    const judged = (changed: unknown) => verdictOf(checkLoadedReceipt({ id, keys, bytes: bytesOf(changed) }))
    expect(judged(json)).toBe('valid')
    const changes = [
      ['attestation', 'model'],
      ['attestation', 'signature'],
      ['organisation_log', 'proof', 'leaf_index'],
    ]
    for (const path of changes) {
      expect(pathsOf(json).map(String)).toContain(String(path))
      expect(judged(changedAt(json, path))).toBe('not valid')
    }
  })

  it('is not valid where it is genuine and of another call, or is no receipt at all', () => {
    const other = '00000000-0000-4000-8000-000000000000'
    expect(verdictOf(checkLoadedReceipt({ id: other, keys, bytes: bytesOf(json) }))).toBe('not valid')
    for (const document of [{}, [], json['attestation'], 'text']) {
      expect(verdictOf(checkLoadedReceipt({ id, keys, bytes: bytesOf(document) }))).toBe('not valid')
    }
  })

  it('is not valid by other keys, nor where somebody says that its details are gone', () => {
    const revoked = { ...keys, keys: keys.keys.map((one) => ({ ...one, suspected_since: '2020-01-01T00:00:00.000Z' })) }
    for (const others of [{ ...keys, keys: [] }, revoked]) {
      expect(verdictOf(checkLoadedReceipt({ id, keys: others, bytes: bytesOf(json) }))).toBe('not valid')
    }
    expect(verdictOf(checkLoadedReceipt({ id, keys, bytes: bytesOf({ ...json, details: 'expired' }) }))).toBe(
      'not valid',
    )
  })

  it('has the trail contradicted wherever that says otherwise than what is signed', () => {
    expect(entry.id).toBe(id)
    expect(compareListedCall(entry, receipt)).toMatchObject({ valid: true })
    const unnoticed = pathsOf(entry).filter(
      (path) => compareListedCall(changedAt(entry, path) as Call, receipt)?.valid === true,
    )
    expect(unnoticed.map(String)).toEqual([
      'object',
      'key_id',
      'request_id',
      'provider',
      'use_case',
      'cohort',
      'reason',
      'policy_version',
      'approval',
      'approval,id',
      'approval,state',
      'approval,requested_at',
      'approval,attestation_id',
      'approval,index',
      'cost_correction_index',
    ])
  })

  it('has a corrected cost not contradicted, of an interrupted call alone', () => {
    const corrected = { ...entry, cost_eur: 9, cost_estimated: false, cost_correction_index: 7 }
    expect(compareListedCall(corrected, receipt)).toMatchObject({ valid: false })
    const { settlement } = receipt
    if (settlement === null) throw new Error('the call is not settled')
    const content = { ...settlement.content, ended: 'interrupted' }
    const interrupted = { ...receipt, settlement: { ...settlement, content } }
    expect(compareListedCall({ ...corrected, ending: 'interrupted' }, interrupted)).toMatchObject({ valid: true })
  })
})
