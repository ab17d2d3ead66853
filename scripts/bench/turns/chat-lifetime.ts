// Counts what one chat costs from its call until its retention ends: rows, requests, stored bytes and dollars. The benchmark sends
// chats at an even pace of simulated time, and their receipts go to the public log. The service archives their details after a
// week and deletes them after their retention. Stored bytes are counted for every simulated day.
import { plainTable, verdict } from '../benchmark-report.ts'
import type { CountedService } from './counted-service.ts'
import { sumCounts, type StorageCounts, type Counts } from './counted-worker-api.ts'
import { countTable } from './turn-counts.ts'

type Amounts = Record<string, number>

/** The counts of one chat. */
export type ChatLifetime = {
  times: number
  /** Counts by the namespace of the objects. */
  objects: Record<string, Counts>
  /** Calls of bindings by name. */
  bindings: Amounts
  /** Bytes by database or file: on the first day, after archiving, and those stored for good. */
  storedBytes: { firstDay: Amounts; archived: Amounts; forGood: Amounts }
  /** Bytes times days over the whole life, in databases and in the bucket. */
  byteDays: { databases: number; files: number }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REPEATED_AT_ONCE = 600

/** The last chats come a day later, so that the log goes on: rows leave the database once their tile of 256 is complete. */
const CHATS_OF_NEXT_DAY = 200

/** The days until details are archived. The daily upkeep moves them when they are a week old. */
const ARCHIVED_AFTER_DAYS = 9
/** The retention of a chat, and some days until the service applies it. */
const LIFE_DAYS = 368

/** @param paceMs the simulated time between two chats */
export async function countChatLifetime(service: CountedService, times: number, paceMs: number): Promise<ChatLifetime> {
  // Time passes first, so that work left by earlier calls is not counted for these chats.
  await service.pass(LIFE_DAYS * DAY_MS)
  const { bytes: before } = await service.takeCounts()
  const ofNextDay = Math.min(times, CHATS_OF_NEXT_DAY)
  for (let done = 0; done < times - ofNextDay; done += REPEATED_AT_ONCE) {
    await service.repeatChats(Math.min(REPEATED_AT_ONCE, times - ofNextDay - done), paceMs)
    process.stderr.write(`\r${Math.min(times, done + REPEATED_AT_ONCE)} of ${times} chats`)
  }
  await service.pass(DAY_MS)
  await service.repeatChats(ofNextDay, paceMs)
  await service.pass(HOUR_MS)
  process.stderr.write(`\n${LIFE_DAYS} days\n`)
  const days: StorageCounts[] = []
  for (let day = 0; day <= LIFE_DAYS; day++) {
    days.push(await service.takeCounts())
    await service.pass(DAY_MS)
  }
  const bytesOfDays = days.map(({ bytes }) => growth(bytes, before, times))
  const byteDays = (isWanted: (storageName: string) => boolean): number =>
    bytesOfDays
      .flatMap((bytes) => Object.entries(bytes))
      .reduce((sum, [storageName, one]) => sum + (isWanted(storageName) ? one : 0), 0)
  return {
    times,
    objects: countsByNamespace(days, times),
    bindings: bindingsOf(days, times),
    storedBytes: {
      firstDay: bytesOfDays[0] ?? {},
      archived: bytesOfDays[ARCHIVED_AFTER_DAYS] ?? {},
      forGood: bytesOfDays.at(-1) ?? {},
    },
    byteDays: { databases: byteDays((storageName) => !isFile(storageName)), files: byteDays(isFile) },
  }
}

const isFile = (storageName: string): boolean => storageName.startsWith('FILES ')

const growth = (bytes: Amounts, before: Amounts, times: number): Amounts =>
  Object.fromEntries(
    Object.entries(bytes).map(([storageName, now]) => [storageName, (now - (before[storageName] ?? 0)) / times]),
  )

function countsByNamespace(days: readonly StorageCounts[], times: number): Record<string, Counts> {
  const turns = days.flatMap((counted) => Object.entries(counted.turns))
  const grouped = Map.groupBy(turns, ([turn]) => turn.split('.')[0] ?? '')
  const sums = [...grouped].map(([namespace, those]) => {
    const counts = those.map(([, one]) => one)
    return [namespace, sumCounts(counts, times)] as const
  })
  return Object.fromEntries(sums)
}

function bindingsOf(days: readonly StorageCounts[], times: number): Amounts {
  const sums: Amounts = {}
  for (const [name, calls] of days.flatMap(({ bindings }) => Object.entries(bindings))) {
    sums[name] = (sums[name] ?? 0) + calls / times
  }
  return sums
}

const MILLION = 1_000_000
const MOST_ROWS = 8

export function reportChatLifetime(life: ChatLifetime, workerCpuMicroseconds: number): string {
  const { times, objects, storedBytes, bindings } = life
  const all = sumCounts(Object.values(objects))
  const places = [...new Set(Object.values(storedBytes).flatMap((bytes) => Object.keys(bytes)))]
  const ages = [storedBytes.firstDay, storedBytes.archived, storedBytes.forGood]
  const bytes = places.map((storageName) =>
    [storageName].concat(ages.map((stored) => (stored[storageName] ?? 0).toFixed(0))),
  )
  return [
    countTable(`one chat, of ${times}`, [...Object.entries(objects), ['together', all]], 3),
    plainTable([['bytes of it', 'on the day', 'once archived', 'for good'], ...bytes]),
    plainTable([
      ['calls of bindings', 'each'],
      ...Object.entries(bindings).map(([name, each]) => [name, each.toFixed(4)]),
    ]),
    reportCost(billedUsageOf(life, workerCpuMicroseconds)),
    verdict('rows written over a chat’s life, alarms included', rowsBilled(all), MOST_ROWS).line,
  ].join('\n\n')
}

/** Returns the billed rows: each row written and each alarm set. */
const rowsBilled = (counts: Counts): number => counts.rowsWritten + counts.alarmsSet

const BYTES_A_GB = 1e9
const DAYS_A_MONTH = 30

/**
 * Dollars for a million, or for one GB-month, beyond what the paid plan includes. Read on 2026-11-21 at
 * developers.cloudflare.com: durable-objects/platform/pricing, workers/platform/pricing, r2/pricing.
 */
const PRICES = {
  'databases: rows written': 1,
  'databases: rows read': 0.001,
  'databases: GB-months': 0.2 * MILLION,
  'objects: requests and alarms': 0.15,
  'Worker: requests': 0.3,
  'Worker: ms of CPU': 0.02,
  'R2: operations of class A': 4.5,
  'R2: operations of class B': 0.36,
  'R2: GB-months': 0.015 * MILLION,
} as const

type Factor = keyof typeof PRICES

/** Returns how much one chat uses of each billed thing. The CPU is the whole process's, so it includes the objects' turns. */
export function billedUsageOf(
  { objects, bindings, byteDays }: ChatLifetime,
  workerCpuMicroseconds: number,
): Record<Factor, number> {
  const all = sumCounts(Object.values(objects))
  const calls = (...names: string[]): number => names.reduce((sum, name) => sum + (bindings[name] ?? 0), 0)
  return {
    'databases: rows written': rowsBilled(all),
    'databases: rows read': all.rowsRead,
    'databases: GB-months': byteDays.databases / DAYS_A_MONTH / BYTES_A_GB,
    'objects: requests and alarms': all.requests,
    'Worker: requests': 1,
    'Worker: ms of CPU': workerCpuMicroseconds / 1000,
    'R2: operations of class A': calls('FILES.put', 'FILES.list'),
    'R2: operations of class B': calls('FILES.get', 'FILES.head'),
    'R2: GB-months': byteDays.files / DAYS_A_MONTH / BYTES_A_GB,
  }
}

function reportCost(usage: Record<Factor, number>): string {
  const costs = Object.entries(PRICES).map(([factor, dollars]) => {
    const used = Object.entries(usage).find(([name]) => name === factor)?.[1] ?? Number.NaN
    return { factor, used, dollars: used * dollars }
  })
  const rows = costs.map(({ factor, used, dollars }) => [
    factor,
    String(Number(used.toPrecision(3))),
    dollars.toFixed(2),
  ])
  const together = costs.reduce((sum, { dollars }) => sum + dollars, 0)
  return plainTable([['billed', 'a chat', '$ a million chats'], ...rows, ['together', '', together.toFixed(2)]])
}
