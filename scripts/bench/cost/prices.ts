// What the platform charges for each factor, beyond what its paid plan includes. In US dollars; a month has 30 days and a GB
// 10^9 bytes.
import type { Factor } from './factors.ts'

export type Price = {
  what: string
  unit: string
  dollars: number
  /** How many units that is the price of. */
  per: number
  source: string
  /** The day on which it was looked up there. */
  asOf: string
}

const WORKERS = 'developers.cloudflare.com/workers/platform/pricing'
const OBJECTS = 'developers.cloudflare.com/durable-objects/platform/pricing'
const R2 = 'developers.cloudflare.com/r2/pricing'
const KV = 'developers.cloudflare.com/kv/platform/pricing'
const D1 = 'developers.cloudflare.com/d1/platform/pricing'
const READ = '2026-11-21'

const MILLION = 1_000_000

export const PRICES: Readonly<Record<Factor, Price>> = {
  workerRequests: { what: 'Worker', unit: 'requests', dollars: 0.3, per: MILLION, source: WORKERS, asOf: READ },
  workerCpuMs: { what: 'Worker', unit: 'ms of CPU', dollars: 0.02, per: MILLION, source: WORKERS, asOf: READ },
  objectRequests: {
    what: 'objects',
    unit: 'requests and alarms',
    dollars: 0.15,
    per: MILLION,
    source: OBJECTS,
    asOf: READ,
  },
  objectGbSeconds: { what: 'objects', unit: 'GB-s', dollars: 12.5, per: MILLION, source: OBJECTS, asOf: READ },
  rowsWritten: { what: 'databases', unit: 'rows written', dollars: 1, per: MILLION, source: OBJECTS, asOf: READ },
  rowsRead: { what: 'databases', unit: 'rows read', dollars: 0.001, per: MILLION, source: OBJECTS, asOf: READ },
  databaseGbMonths: { what: 'databases', unit: 'GB-months', dollars: 0.2, per: 1, source: OBJECTS, asOf: READ },
  bucketWrites: { what: 'R2', unit: 'operations of class A', dollars: 4.5, per: MILLION, source: R2, asOf: READ },
  bucketReads: { what: 'R2', unit: 'operations of class B', dollars: 0.36, per: MILLION, source: R2, asOf: READ },
  bucketGbMonths: { what: 'R2', unit: 'GB-months', dollars: 0.015, per: 1, source: R2, asOf: READ },
  kvReads: { what: 'KV', unit: 'reads', dollars: 0.5, per: MILLION, source: KV, asOf: READ },
  d1Queries: { what: 'D1', unit: 'queries, of a row each', dollars: 0.001, per: MILLION, source: D1, asOf: READ },
}
